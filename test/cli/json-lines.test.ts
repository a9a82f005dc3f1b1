import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { answerLines } from '../../src/cli/json-lines.js'
import { main } from '../../src/cli/main.js'
import { SafetokensError } from '../../src/errors.js'

async function answers(
  chunks: AsyncIterable<string> | readonly string[],
  answer: (value: unknown, text: string) => object = (value) => ({ value }),
) {
  async function* bytes() {
    yield* chunks
  }
  let out = ''
  const code = await answerLines({ name: 'test', bytes: bytes() }, { write: (text) => (out += text) }, answer)
  return { code, out }
}

it('answers every value in order, and skips empty lines', async () => {
  const { code, out } = await answers(['1\n\n"tw', 'o"\r\n \t\n[3', ']\n{}'])
  expect(code).toBe(0)
  expect(out).toBe('{"value":1}\n{"value":"two"}\n{"value":[3]}\n{"value":{}}\n')
})

it('gives an error in the place of a bad line, and goes on', async () => {
  const { code, out } = await answers(['1\n', '\n', 'x\n', '{"id": [1.0, "a"], "n": 2}\n', '3'], (value) => {
    if (value === 1) return { ok: true }
    throw new SafetokensError('NO', 'not that')
  })
  expect(code).toBe(1)
  expect(out.split('\n')).toEqual([
    '{"ok":true}',
    '{"error":{"code":"INVALID_JSON","message":"not JSON: column 1: expected a JSON value but found \\"x\\"","line":3}}',
    '{"id":[1.0, "a"],"error":{"code":"NO","message":"not that","line":4}}',
    '{"error":{"code":"NO","message":"not that","line":5}}',
    '',
  ])
})

it('does not hide bugs', async () => {
  const bug = new TypeError('a bug')
  await expect(
    answers(['1'], () => {
      throw bug
    }),
  ).rejects.toBe(bug)
})

it('drops a byte order mark at the start only', async () => {
  const { out } = await answers(['\ufeff1\n', '\ufeff2\n'])
  expect(out).toMatch(/^\{"value":1\}\n\{"error":/)
})

it('answers a stream of 200,000 lines while it comes', async () => {
  const total = 200_000
  const chunkLines = 500
  let given = 0
  let answered = 0
  let mostHeld = 0
  async function* lines() {
    while (given < total) {
      mostHeld = Math.max(mostHeld, given - answered)
      const chunk = Array.from(
        { length: chunkLines },
        (_, i) => `{"id": ${given + i}, "text": "<|system|> 你好"}\n`,
      )
      given += chunkLines
      yield Buffer.from(chunk.join(''))
    }
  }
  const count = (text: string): void => {
    answered += text.split('\n').length - 1
  }
  const code = await main(['count', '--model', 'mini', '--jsonl'], {
    stdin: lines(),
    stdout: { write: count },
    stderr: { write: () => {} },
  })
  expect(code).toBe(0)
  expect(answered).toBe(total)
  expect(mostHeld).toBe(0) // every chunk is answered before the next is asked for
})

it('answers a line before the next comes', async () => {
  const seen: string[] = []
  async function* lines() {
    yield Buffer.from('1\n2')
    await setTimeout(1)
    expect(seen).toEqual(['{"value":1}\n'])
    yield Buffer.from('\n')
  }
  await answerLines({ name: 'test', bytes: lines() }, { write: (text) => seen.push(text) }, (value) => ({
    value,
  }))
  expect(seen).toEqual(['{"value":1}\n', '{"value":2}\n'])
})

it('writes large output in pieces', async () => {
  const sizes: number[] = []
  async function* lines() {
    yield '1\n'.repeat(100)
  }
  const stdout = { write: (text: string) => sizes.push(text.length) }
  await answerLines({ name: 'test', bytes: lines() }, stdout, () => ({ text: 'x'.repeat(10_000) }))
  expect(sizes.length).toBeGreaterThan(10)
  expect(Math.max(...sizes)).toBeLessThan(100_000)
})
