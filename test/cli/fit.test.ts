import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Chat } from '../../src/chat/chat.js'
import { defaultModelPath } from '../../src/cli/package-files.js'
import { jsonLines, run } from './run.js'

const chat = await Chat.load(defaultModelPath())
const MESSAGES = [
  { role: 'system', content: 'Be brief.' },
  ...Array.from({ length: 5 }, (_, i) => [
    { role: 'user', content: `question ${i}` },
    { role: 'assistant', metadata: 'look_up', content: 'a' },
    { role: 'observation', content: 'found it '.repeat(10) },
    { role: 'assistant', content: `answer ${i}` },
  ]).flat(),
  { role: 'user', content: 'now?' },
]
const total = (messages: object[]): number => chat.count(messages as never).total
const LEFT = [MESSAGES[0], ...MESSAGES.slice(-5)] as typeof MESSAGES
const WINDOW = String(total(LEFT) + 3)
const fitted = (args: readonly string[], stdin: unknown = MESSAGES) =>
  run(['fit', '--model', 'mini', ...args], JSON.stringify(stdin))
/** Not all fits, but what is left when two results are cut. */
const SOME_CUT = String(total(MESSAGES) - 20)
const GONE = Array.from({ length: 16 }, (_, i) => i + 1)

it('draws how the window is used, and tells what went', async () => {
  const { code, out, err } = await fitted(['--window', String(Number(WINDOW) + 20), '--reply', '20'])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const lines = out.split('\n')
  expect(lines[0]).toBe(`${total(LEFT)} tokens of a window of ${total(LEFT) + 23}`)
  expect(out).toMatch(/^observation █+/m)
  expect(out).toMatch(/^reply .* 20 +\d+ %$/m)
  expect(out).toMatch(/^free .* 3 +\d+ %$/m)
  expect(out).toContain('\nleft out: 16 messages (1-16)\n')
  expect((await fitted(['--window', '1000'])).out).toContain('nothing had to go')
})

it('answers in JSON', async () => {
  const answer = {
    messages: LEFT,
    kept: [0, 17, 18, 19, 20, 21],
    dropped: GONE,
    truncated: [],
    count: total(LEFT),
    budget: Number(WINDOW),
  }
  expect(JSON.parse((await fitted(['--window', WINDOW, '--json'])).out)).toEqual(answer)
  const input = [{ id: 'x', messages: MESSAGES }, MESSAGES.slice(0, 2), [], 1].map((each) =>
    JSON.stringify(each),
  )
  const { code, out } = await run(['fit', '--model', 'mini', '--window', WINDOW, '--jsonl'], input.join('\n'))
  expect(code).toBe(1)
  expect(jsonLines(out)).toMatchObject([
    { id: 'x', ...answer },
    { messages: MESSAGES.slice(0, 2), dropped: [] },
    { messages: [] },
    { error: { code: 'INVALID_INPUT', line: 4 } },
  ])
})

it('cuts results, keeps rounds, and pins', async () => {
  const cut = JSON.parse((await fitted(['--window', SOME_CUT, '--truncate', '8', '--json'])).out)
  expect(cut.dropped).toEqual([])
  expect(cut.truncated[0]).toEqual({
    path: 'messages[3].content',
    before: chat.tokenizer.count('found it '.repeat(10)),
    after: expect.toSatisfy((count: number) => count > 4 && count <= 8),
  })
  expect(cut.messages[3]).toEqual({ role: 'observation', content: expect.stringMatching(/^found.* \[…\]$/) })
  expect((await fitted(['--window', SOME_CUT, '--truncate', '8'])).out).toContain(
    'cut: messages[3].content, from ',
  )
  const last = JSON.parse((await fitted(['--window', '1000', '--last-rounds', '1', '--json'])).out)
  expect(last.kept).toEqual([0, 21])
  const pinned = JSON.parse((await fitted(['--window', WINDOW, '--pin', '1', '--json'])).out)
  expect(pinned.kept).toEqual([0, 1, 2, 3, 4, 21])
})

describe('the window', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'safetokens-'))
  beforeAll(() => {
    writeFileSync(path.join(folder, 'chat.json'), JSON.stringify(MESSAGES))
  })
  afterAll(() => {
    rmSync(folder, { recursive: true })
  })

  it('must be told where the model does not', async () => {
    const { code, err } = await fitted([])
    expect(code).toBe(2)
    expect(err).toContain('fit needs --window N')
  })

  it('may be too small', async () => {
    const { code, out, err } = await fitted(['--window', '10', path.join(folder, 'chat.json')], [])
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(
      /^safetokens: what may not go of the conversation has \d+ tokens, \d+ too many for the 10 /,
    )
  })
})

it.each([
  [['--window', '1.5']],
  [['--window', '-5']],
  [['--window', '100', '--reply', 'x']],
  [['--window', '100', 'a', 'b']],
  [['--window', '100', '--strategy', 'x']],
])('refuses arguments that make no sense: %j', async (args) => {
  expect(await fitted(args)).toMatchObject({ code: 2, out: '' })
})

it('counts tools that stand beside the messages', async () => {
  const tools = [
    { type: 'function', function: { name: 'look_up', parameters: { type: 'object', properties: {} } } },
  ]
  const messages = MESSAGES.filter(({ role, content }) => role === 'user' || content.startsWith('answer'))
  const chatml = ['fit', '--model', 'models/mini-chatml', '--window', '130']
  const result = await run([...chatml, '--json'], JSON.stringify({ messages, tools }))
  expect(result.code, result.err).toBe(0)
  const { messages: kept, count } = JSON.parse(result.out) as { messages: object[]; count: number }
  const mini = await Chat.load('models/mini-chatml')
  expect(count).toBe(mini.count(kept as never, { tools }).total)
  expect(kept.length).toBeLessThan(messages.length)
  const picture = await run(chatml, JSON.stringify({ messages, tools }))
  expect(picture.out).toMatch(/^tools +█+/m)
})
