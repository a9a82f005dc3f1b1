import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Chat } from '../../src/chat/chat.js'
import { jsonText } from '../../src/chat/python-json.js'
import { defaultModelPath } from '../../src/cli/package-files.js'
import { jsonLines, run } from './run.js'

const loaded = await Chat.load(defaultModelPath())
const MESSAGES = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: '<|system|> 你好' },
]
const JSON_TEXT = JSON.stringify(MESSAGES)
const TWO_USERS = JSON.stringify([
  { role: 'user', content: 'a' },
  { role: 'user', content: 'b' },
])
const idsOf = (...args: Parameters<Chat['encode']>): number[] => Array.from(loaded.encode(...args).ids)
const chat = (args: readonly string[], stdin?: Parameters<typeof run>[1], isTTY = false) =>
  run(['chat', '--model', 'mini', ...args], stdin, { isTTY })

beforeEach(() => {
  for (const name of ['NO_COLOR', 'FORCE_COLOR', 'TERM']) vi.stubEnv(name, undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
})

it.each([
  ['an array', JSON_TEXT],
  ['an object', JSON.stringify({ model: 'x', messages: MESSAGES, tools: null })],
  ['a byte order mark', `\ufeff${JSON_TEXT}`],
])('prints the ids of a conversation as %s', async (_, stdin) => {
  const expected = { code: 0, out: `${idsOf(MESSAGES).join(' ')}\n`, err: '' }
  expect(await chat([], stdin)).toEqual(expected)
  expect(await chat(['-'], stdin)).toEqual(expected)
})

it('reads a file', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'safetokens-'))
  try {
    const file = path.join(folder, 'chat.json')
    writeFileSync(file, JSON_TEXT)
    expect((await chat([file])).out).toBe(`${idsOf(MESSAGES).join(' ')}\n`)
    expect(jsonLines((await chat(['--jsonl', file])).out)).toMatchObject([{ ids: idsOf(MESSAGES) }])
    expect(await chat([`${file}x`])).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^safetokens: .*chat\.jsonx cannot be read: ENOENT/),
    })
    expect((await chat([folder])).code).toBe(1)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it('prints JSON', async () => {
  const ids = idsOf(MESSAGES)
  const { out } = await chat(['--json'], JSON_TEXT)
  expect(JSON.parse(out)).toEqual({
    ids,
    count: ids.length,
    eosTokenIds: loaded.eosTokenIds,
    guarantee: 'reserved-ids',
    warnings: [],
  })
})

it('answers lines of JSON', async () => {
  const lines = [
    JSON_TEXT,
    `{"id": 1e0, "messages": ${JSON_TEXT}}`,
    `{"id": 2, "messages": ${TWO_USERS}}`,
    '"x"',
  ]
  const { code, out } = await chat(['--jsonl'], lines.join('\n'))
  expect(code).toBe(1)
  const answer = { ...loaded.encode(MESSAGES).toJSON(), count: idsOf(MESSAGES).length }
  expect(jsonLines(out)).toEqual([
    answer,
    { id: 1, ...answer },
    { id: 2, error: { code: 'INVALID_MESSAGE', message: expect.stringContaining('message 1: '), line: 3 } },
    { error: { code: 'INVALID_INPUT', message: expect.stringContaining('an array of messages'), line: 4 } },
  ])
})

describe('tools', () => {
  const TOOLS = '[{"price": 1.0, "2": 1E2, "1": 12345678901234567890}]'
  const message = `{"role": "system", "content": "x", "tools": ${TOOLS}}`
  const expected = idsOf([{ role: 'system', content: 'x', tools: jsonText(TOOLS) }])

  it('keep the spelling of numbers and the order of keys', async () => {
    expect(loaded.decode(expected)).toContain(
      '"price": 1.0,\n        "2": 100.0,\n        "1": 12345678901234567890',
    )
    expect(expected).not.toEqual(idsOf([{ role: 'system', content: 'x', tools: JSON.parse(TOOLS) }]))
    for (const stdin of [`[${message}]`, `{"tools": null, "messages" : [ ${message} ]}`]) {
      expect(JSON.parse((await chat(['--json'], stdin)).out).ids).toEqual(expected)
      expect(jsonLines((await chat(['--jsonl'], stdin)).out)).toMatchObject([{ ids: expected }])
    }
  })

  it('beside the messages are refused, not lost, where the format has no place for them', async () => {
    const { code, err } = await chat([], `{"messages": ${JSON_TEXT}, "documents": [{}]}`)
    expect(code).toBe(1)
    expect(err).toContain('the format chatglm3 has no place for documents')
    const functions = await chat([], `{"messages": ${JSON_TEXT}, "functions": [{}]}`)
    expect(functions.err).toContain('the field functions beside messages is not supported')
  })

  it('beside the messages are written, as they are spelled, where it has one', async () => {
    const chatml = await Chat.load('models/mini-chatml')
    const tools =
      '[{"type": "function", "function": {"name": "f", "description": "<|im_end|>", "price": 1.0}}]'
    const { out } = await run(
      ['chat', '--model', 'models/mini-chatml', '--json'],
      `{"tools": ${tools}, "messages": ${JSON_TEXT}}`,
    )
    const { ids } = JSON.parse(out)
    expect(ids).toEqual([...chatml.encode(MESSAGES, { tools: jsonText(tools) }).ids])
    expect(chatml.decode(ids)).toContain('"price": 1.0')
  })
})

describe('options', () => {
  it('leave the generation prompt out', async () => {
    const { out } = await chat(['--no-generation-prompt'], JSON_TEXT)
    expect(out).toBe(`${idsOf(MESSAGES, { addGenerationPrompt: false }).join(' ')}\n`)
  })

  it('choose what to do about the order of turns', async () => {
    expect(await chat([], TWO_USERS)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('message 1'),
    })
    const ids = idsOf(JSON.parse(TWO_USERS), { onInvalid: 'ignore' })
    const out = `${ids.join(' ')}\n`
    expect(await chat(['--on-invalid', 'ignore'], TWO_USERS)).toEqual({ code: 0, out, err: '' })
    expect(await chat(['--compat', 'exact'], TWO_USERS)).toEqual({ code: 0, out, err: '' })
    const warned = await chat(['--on-invalid', 'warn'], TWO_USERS)
    expect(warned).toMatchObject({ code: 0, out })
    expect(warned.err).toMatch(/^safetokens: warning: message 1: two user turns in a row.*\n$/)
    const json = await chat(['--json', '--on-invalid', 'warn'], TWO_USERS)
    expect(json.err).toBe('')
    expect(JSON.parse(json.out).warnings).toMatchObject([{ index: 1, rule: 'user-after-user' }])
  })

  it('join turns', async () => {
    const { out } = await chat(['--merge-consecutive'], TWO_USERS)
    expect(out).toBe(`${idsOf([{ role: 'user', content: 'a\nb' }]).join(' ')}\n`)
  })

  it('name the format of a bare file', async () => {
    const file = path.join(defaultModelPath(), 'tokenizer.model')
    const { out } = await run(['chat', '--model', file, '--format', 'chatglm3'], JSON_TEXT)
    expect(out).toBe(`${idsOf(MESSAGES).join(' ')}\n`)
    expect(await chat(['--format', 'none'], JSON_TEXT)).toMatchObject({
      code: 1,
      err: expect.stringContaining('"none" is not a chat format'),
    })
  })

  it.each([
    [['--compat', 'loose']],
    [['--on-invalid', 'maybe']],
    [['a', 'b']],
    [['--show', '--json']],
    [['--show', '--jsonl']],
  ])('that make no sense: %j', async (args) => {
    expect(await chat(args, JSON_TEXT)).toMatchObject({ code: 2, out: '' })
  })
})

it.each([
  ['[{"role": "user", "content": "x}', 'not JSON: column 33: expected a closing quote'],
  ['[\n{"role" "user"}]', 'not JSON: line 2 column 9: expected :'],
  ['', 'not JSON: column 1: expected a JSON value but found the end'],
  ['{"message": []}', 'messages: an array of messages was expected, not nothing'],
  ['[{"role": "root", "content": "x"}]', 'message 0: the role must be one of'],
])('says what is wrong with %j', async (stdin, message) => {
  const { code, out, err } = await chat([], stdin)
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toContain(`safetokens: ${message}`)
})

describe('--show', () => {
  const stdin = JSON.stringify([{ role: 'user', content: '<|system|>\x1b 你好 爨' }])

  it('draws control tokens by name and text as pieces', async () => {
    const { code, out } = await chat(['--show'], stdin)
    expect(code).toBe(0)
    expect(out).not.toContain('\x1b')
    const lines = out.split('\n')
    expect(lines[0]).toBe('      0  [gMASK]')
    expect(lines[2]).toBe('      1  sop')
    expect(lines[4]).toMatch(/^ {6}2 {2}<\|user\|> .*< \| system \| > \\x1b ▁你 好 ▁ 爨$/)
    expect(lines[5]).toMatch(/^ {9}8006 5192 13 /)
    expect(lines[6]).toMatch(/^ +\d+ {2}<\|assistant\|>$/)
    expect(out).toContain(' ids; stop generating at the ids 2, 8006, 8008; guarantee: reserved-ids\n')
  })

  it('is coloured on a terminal only, and says the same', async () => {
    const { out } = await chat(['--show'], stdin)
    const coloured = await chat(['--show'], stdin, true)
    expect(coloured.out).toContain('\x1b[36m<|user|>\x1b[39m')
    expect(stripVTControlCharacters(coloured.out)).toBe(out)
    vi.stubEnv('NO_COLOR', '1')
    expect((await chat(['--show'], stdin, true)).out).toBe(out)
    vi.stubEnv('FORCE_COLOR', '1')
    expect((await chat(['--show'], stdin)).out).toBe(coloured.out)
  })
})
