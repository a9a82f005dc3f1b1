import { describe, expect, it } from 'vitest'
import { Chat } from '../../src/chat/chat.js'
import { defaultModelPath } from '../../src/cli/package-files.js'
import { visibleWidth } from '../../src/cli/terminal.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { jsonLines, run } from './run.js'

const tokenizer = await Tokenizer.load(defaultModelPath())
const TEXT = '你好 <|system|> and more'

it('prints how many ids encode gives', async () => {
  const count = tokenizer.encode(TEXT).length
  expect(await run(['count', '--model', 'mini', TEXT])).toEqual({ code: 0, out: `${count}\n`, err: '' })
  expect((await run(['count', '--model', 'mini', '-'], TEXT)).out).toBe(`${count}\n`)
  expect((await run(['count', '--model', 'mini', '--json', TEXT])).out).toBe(`{"count":${count}}\n`)
})

it('answers lines of JSON', async () => {
  const lines = [JSON.stringify(TEXT), 'oops', JSON.stringify({ id: { a: 1 }, text: '' })]
  const { code, out } = await run(['count', '--model', 'mini', '--jsonl'], lines.join('\n'))
  expect(code).toBe(1)
  expect(jsonLines(out)).toEqual([
    { count: tokenizer.count(TEXT) },
    { error: expect.objectContaining({ code: 'INVALID_JSON', line: 2 }) },
    { id: { a: 1 }, count: 0 },
  ])
})

it('needs one text', async () => {
  expect(await run(['count', '--model', 'mini'])).toMatchObject({ code: 2 })
})

describe('--chat', () => {
  const MESSAGES = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: `${TEXT}\x1b[31m` },
    { role: 'assistant', content: 'ok' },
  ]
  const count = (args: readonly string[], stdin: unknown) =>
    run(['count', '--chat', '--model', 'mini', ...args], JSON.stringify(stdin))

  it('draws where the tokens of a conversation go', async () => {
    const chat = await Chat.load(defaultModelPath())
    const { total, perSource, perMessage } = chat.count(MESSAGES)
    const { code, out } = await count([], MESSAGES)
    expect(code).toBe(0)
    const lines = out.split('\n')
    expect(lines[0]).toBe(`${total} tokens`)
    expect(lines[1]).toMatch(new RegExp(`^content {2}█+[▏▎▍▌▋▊▉]? +${perSource.content} +\\d+ %$`))
    expect(lines[2]).toMatch(new RegExp(`^template █+[▏▎▍▌▋▊▉]? +${perSource.template} +\\d+ %$`))
    expect(lines[6]).toMatch(new RegExp(`^1 user +█+.* ${perMessage[1]?.total} +\\d+ %$`))
    expect(lines.every((line) => visibleWidth(line) <= 80)).toBe(true)
  })

  it('answers in JSON', async () => {
    const chat = await Chat.load(defaultModelPath())
    const { total, perSource, perMessage } = chat.count(MESSAGES)
    const { out } = await count(['--json'], { messages: MESSAGES })
    expect(JSON.parse(out)).toEqual({
      count: total,
      sources: perSource,
      messages: perMessage.map(({ role, total, sources }) => ({ role, count: total, sources })),
    })
    const lines = await run(
      ['count', '--chat', '--model', 'mini', '--jsonl'],
      [JSON.stringify({ id: 1, messages: MESSAGES }), '{"messages": 1}'].join('\n'),
    )
    expect(lines.code).toBe(1)
    expect(jsonLines(lines.out)).toEqual([
      { id: 1, ...JSON.parse(out) },
      { error: expect.objectContaining({ code: 'INVALID_INPUT', line: 2 }) },
    ])
  })

  it('draws the longest of many messages', async () => {
    const many = Array.from({ length: 60 }, (_, i) => ({
      role: i % 2 === 0 ? 'user' : 'assistant',
      content: 'word '.repeat(i),
    }))
    const { out } = await count([], many)
    expect(out).toContain('the longest 24 of 60')
    expect(out).not.toContain('\n35 ')
    expect(out).toContain('\n36 user')
  })

  it('counts tools beside the messages', async () => {
    const body = {
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [{ type: 'function', function: { name: 'f' } }],
    }
    const args = ['count', '--chat', '--model', 'models/mini-chatml', '--json']
    const { code, out } = await run(args, JSON.stringify(body))
    const without = await run(args, JSON.stringify(body.messages))
    expect(code).toBe(0)
    expect(JSON.parse(out).count).toBeGreaterThan(JSON.parse(without.out).count)
  })

  it('takes one file', async () => {
    expect(await count(['a', 'b'], [])).toMatchObject({ code: 2 })
    expect(await count(['no such file'], [])).toMatchObject({ code: 1 })
  })
})
