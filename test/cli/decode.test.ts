import { describe, expect, it } from 'vitest'
import { defaultModelPath } from '../../src/cli/package-files.js'
import { control } from '../../src/prompt/parts.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { jsonLines, run } from './run.js'

const tokenizer = await Tokenizer.load(defaultModelPath())
const user = tokenizer.getCommand('<|user|>')
/** A control token, and text that spells it. */
const ids = Array.from(tokenizer.encode([control('<|user|>'), '<|user|> 你好']))
const decode = (args: readonly string[], stdin?: Parameters<typeof run>[1], isTTY = false) =>
  run(['decode', '--model', 'mini', ...args], stdin, { isTTY })

it.each([
  ['arguments', ids.map(String)],
  ['commas', [ids.join(',')]],
  ['both', [ids.join(', ')]],
  ['an array', [JSON.stringify(ids)]],
])('prints the text of ids as %s', async (_, args) => {
  expect(await decode(args)).toEqual({ code: 0, out: '<|user|><|user|> 你好\n', err: '' })
})

it.each([
  ['what encode prints', `${ids.join(' ')}\n`],
  ['what encode --json has', JSON.stringify(ids, null, 2)],
  ['lines with a byte order mark', `\ufeff${ids.join('\r\n')}`],
])('reads %s', async (_, stdin) => {
  expect(await decode(['-'], stdin)).toEqual({ code: 0, out: '<|user|><|user|> 你好\n', err: '' })
})

it('takes no ids from standard input', async () => {
  expect(await decode(['-'], ' \n')).toEqual({ code: 0, out: '\n', err: '' })
})

it('keeps text and control tokens apart', async () => {
  const { out } = await decode(['--json', ...ids.map(String)])
  expect(JSON.parse(out)).toEqual({
    text: '<|user|><|user|> 你好',
    parts: [
      { type: 'control', id: user, name: '<|user|>' },
      { type: 'text', text: '<|user|> 你好' },
    ],
  })
})

it('leaves control tokens out', async () => {
  const args = ['--skip-special-tokens', ids.join()]
  expect((await decode(args)).out).toBe('<|user|> 你好\n')
  const text = '<|user|> 你好'
  expect(JSON.parse((await decode(['--json', ...args])).out)).toEqual({
    text,
    parts: [{ type: 'text', text }],
  })
})

it('lets no text drive a terminal', async () => {
  const hostile = Array.from(tokenizer.encode('a\x1b[31m\x9b\nb\tc👨‍👩‍👧'))
  expect((await decode([hostile.join()])).out).toBe('a\x1b[31m\x9b\nb\tc👨‍👩‍👧\n')
  expect((await decode([hostile.join()], [], true)).out).toBe('a\\x1b[31m\\x9b\nb\tc👨‍👩‍👧\n')
})

it('answers lines of JSON', async () => {
  const lines = [
    JSON.stringify(ids),
    `{"id": "a", "ids": [${user}]}`,
    '[1.5]',
    '[99999999]',
    '{"ids": "1"}',
    '[]',
  ]
  const { code, out } = await decode(['--jsonl'], lines.join('\n'))
  expect(code).toBe(1)
  const parts = tokenizer.decodeParts(ids)
  expect(jsonLines(out)).toEqual([
    { text: tokenizer.decode(ids), parts },
    { id: 'a', text: '<|user|>', parts: [{ type: 'control', id: user, name: '<|user|>' }] },
    { error: { code: 'INVALID_TOKEN_ID', message: expect.stringContaining('1.5'), line: 3 } },
    { error: { code: 'INVALID_TOKEN_ID', message: expect.stringContaining('99999999'), line: 4 } },
    { error: { code: 'INVALID_INPUT', message: 'ids: an array of ids was expected, not a string', line: 5 } },
    { text: '', parts: [] },
  ])
})

describe('what is no id', () => {
  it.each([[[]], [['abc']], [['1', '-']], [['--', '-1']], [['1.5']], [['[1']], [['--jsonl', '1']]])(
    'as arguments %j gives 2',
    async (args) => {
      expect(await decode(args, '')).toMatchObject({ code: 2, out: '' })
    },
  )

  it('in the input gives 1', async () => {
    const { code, err } = await decode(['-'], '1 x\x1b 3')
    expect(code).toBe(1)
    expect(err).toBe(
      'safetokens: "x\\u001b" is not a token id; ids are whole numbers, separated by spaces or commas\n',
    )
  })

  it('outside the vocabulary gives 1', async () => {
    expect(await decode(['99999999'])).toMatchObject({ code: 1, err: expect.stringContaining('99999999') })
    expect(await decode(['99999999999999999999'])).toMatchObject({ code: 1 })
  })
})
