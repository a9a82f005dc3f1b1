import { beforeAll, describe, expect, it } from 'vitest'
import { defaultModelPath } from '../../src/cli/package-files.js'
import { InvalidArgumentError, UnknownControlTokenError } from '../../src/errors.js'
import { control, trusted } from '../../src/prompt/parts.js'
import type { EncodedBatch } from '../../src/tokenizer/padding.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'

let tokenizer: Tokenizer
beforeAll(async () => {
  tokenizer = await Tokenizer.load(defaultModelPath())
})

/** Typed arrays in a form that is compared fast. */
const plain = ({ ids, attentionMask }: EncodedBatch): string[] =>
  ids.map((row, i) => `${row.join()} ${attentionMask[i]?.join('')}`)

const texts = Array.from({ length: 300 }, (_, i) => `${i} 你好 <|user|> ${'word '.repeat((i * 37) % 400)}`)

describe('encodeBatchAsync', () => {
  it.each([1, 2, 7])('gives what encodeBatch gives, in order, on %s threads', async (threads) => {
    const batch = await tokenizer.encodeBatchAsync(texts, { threads })
    expect(plain(batch)).toEqual(plain(tokenizer.encodeBatch(texts)))
  })

  it('takes parts, pairs, truncation and padding', async () => {
    const inputs = [
      '',
      [control('<|user|>'), '\n', 'hello <|user|>'],
      trusted('<|assistant|>'),
      'a '.repeat(50_000),
    ]
    const pairs = ['b', 'c <|system|>', '', 'd']
    const options = { pairs, truncation: { maxLength: 30 }, padding: { padId: 0, side: 'left' as const } }
    expect(await tokenizer.encodeBatchAsync(inputs, options)).toEqual(tokenizer.encodeBatch(inputs, options))
    expect(await tokenizer.encodeBatchAsync([])).toEqual({ ids: [], attentionMask: [] })
  })

  it('gives no reserved id for what a text spells, whatever stands beside it', async () => {
    const halves = ['<|us', 'er|>', '<|user|>', '\ud83d', '\udc69']
    const { ids } = await tokenizer.encodeBatchAsync(halves, { threads: 1 })
    for (const row of ids) for (const id of row) expect(tokenizer.isReserved(id)).toBe(false)
    expect(ids).toEqual(halves.map((text) => tokenizer.encode(text)))
  })

  it('rejects with typed errors', async () => {
    await expect(tokenizer.encodeBatchAsync([control('<|nobody|>')])).rejects.toThrow(
      UnknownControlTokenError,
    )
    await expect(tokenizer.encodeBatchAsync('text' as never)).rejects.toThrow(InvalidArgumentError)
    await expect(tokenizer.encodeBatchAsync(['a'], { pairs: [] })).rejects.toThrow(InvalidArgumentError)
    await expect(tokenizer.encodeBatchAsync(['a'], { threads: 0 })).rejects.toThrow('threads')
  })

  it('leaves the event loop free', async () => {
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    await tokenizer.encodeBatchAsync(texts.map((text) => text.repeat(20)))
    clearInterval(timer)
    expect(turns).toBeGreaterThan(0)
  })
})

describe('a signal', () => {
  it('that is aborted already rejects at once', async () => {
    const reason = new Error('too late')
    const signal = AbortSignal.abort(reason)
    await expect(tokenizer.encodeBatchAsync(texts, { signal })).rejects.toBe(reason)
    await expect(tokenizer.encodeAsync('text', { signal })).rejects.toBe(reason)
  })

  it('rejects while texts are encoded', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const long = 'a你 b'.repeat(200_000)
    const batch = tokenizer.encodeBatchAsync(
      Array.from({ length: 20 }, () => long),
      { signal: controller.signal },
    )
    const one = tokenizer.encodeAsync(long, { signal: controller.signal })
    controller.abort(reason)
    await expect(batch).rejects.toBe(reason)
    await expect(one).rejects.toBe(reason)
  })

  it('that is not aborted changes nothing', async () => {
    const { signal } = new AbortController()
    expect(await tokenizer.encodeAsync('text', { signal })).toEqual(tokenizer.encode('text'))
    expect(plain(await tokenizer.encodeBatchAsync(texts, { signal }))).toEqual(
      plain(tokenizer.encodeBatch(texts)),
    )
  })
})

it('goes on when its handle is disposed of', async () => {
  const other = await Tokenizer.load(defaultModelPath())
  const pending = other.encodeBatchAsync(['hello', 'world'], { threads: 1 })
  other.dispose()
  expect((await pending).ids).toEqual(['hello', 'world'].map((text) => tokenizer.encode(text)))
})
