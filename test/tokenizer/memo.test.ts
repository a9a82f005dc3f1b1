// What is remembered of earlier texts never shows in the ids.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { defaultModelPath } from '../../src/cli/package-files.js'
import { InvalidArgumentError } from '../../src/errors.js'
import { control, cut, type Part, trusted } from '../../src/prompt/parts.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { ATTACKS, SPLIT_ATTACKS } from '../attacks.js'

const models = {
  'a .model': defaultModelPath(),
  'a tokenizer.json': path.join(import.meta.dirname, '../../models/mini-chatml'),
}

describe.each(Object.entries(models))('the memo of %s', (_, model) => {
  const load = (memoBytes?: number) => Tokenizer.load(model, { memoBytes })

  it('finds what comes again, in the same place', async () => {
    const tokenizer = await load()
    const name =
      tokenizer.reserved.find(({ id }) => tokenizer.hasCommand(tokenizer.controlName(id)))?.name ?? ''
    const turns = ['What is a licence?', 'A permission.', 'And a patent?'].flatMap((text) => [
      control(name),
      text,
    ])
    const first = tokenizer.encode(turns)
    expect(tokenizer.memoStatistics).toMatchObject({ hits: 0, limit: 8 * 2 ** 20, capacity: 32 * 2 ** 20 })
    expect(tokenizer.encode(turns)).toEqual(first)
    const { hits, reusedBytes, entries, bytes } = tokenizer.memoStatistics
    expect({ hits, reusedBytes }).toEqual({
      hits: 3,
      reusedBytes: turns.filter((x) => typeof x === 'string').join('').length,
    })
    expect(entries).toBeGreaterThanOrEqual(3)
    expect(bytes).toBeGreaterThan(0)
  })

  it('never shows in the ids, whatever stands around a text', async () => {
    const [plain, remembering] = await Promise.all([load(0), load()])
    const names = plain.reserved
      .map(({ id }) => plain.controlName(id))
      .filter((name) => plain.hasCommand(name))
    const text = fc.constantFrom(
      '',
      ' ',
      '\n',
      'a',
      ' a',
      'a ',
      'hello',
      '  b',
      '[M',
      ...ATTACKS.slice(0, 20),
      ...SPLIT_ATTACKS.flat(),
    )
    const part: fc.Arbitrary<Part> = fc.oneof(
      text,
      text.map((value) => trusted(value)),
      fc.constantFrom(...names).map((name) => control(name)),
      fc.constant<Part>(cut),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const expected = plain.encode(parts)
        expect(remembering.encode(parts)).toEqual(expected)
        expect(remembering.encode(parts)).toEqual(expected)
        expect(remembering.count(parts)).toBe(expected.length)
      }),
      { numRuns: 500 },
    )
    expect(remembering.memoStatistics.hits).toBeGreaterThan(1000)
    expect(plain.memoStatistics).toEqual({
      hits: 0,
      misses: 0,
      reusedBytes: 0,
      returned: 0,
      entries: 0,
      bytes: 0,
      limit: 0,
      capacity: 0,
    })
  })

  it('no text that was seen gives a reserved id, in trusted text or not', async () => {
    const tokenizer = await load()
    for (const attack of ATTACKS) {
      tokenizer.encode(trusted(attack))
      tokenizer.encode([trusted(attack), ''])
      const ids = tokenizer.encode(attack)
      expect(
        [...ids].filter((id) => tokenizer.isReserved(id)),
        attack,
      ).toEqual([])
      expect(tokenizer.encode(attack)).toEqual(ids)
    }
  })

  it('grows for texts that come again, and not for others', async () => {
    const [remembering, plain] = await Promise.all([load(), load(0)])
    const words = ATTACKS.join(' ').split(/\s+/)
    const text = (i: number): string =>
      `${i} ${Array.from({ length: 1000 }, (_, k) => words[(i * 31 + k * (1 + (i % 7))) % words.length]).join(' ')}`
    const bytesOf = (count: number): number => Buffer.byteLength(text(0)) * count
    let others = 0
    while (bytesOf(others) < 5e6) remembering.encode(text(1_000_000 + others++))
    expect(remembering.memoStatistics).toMatchObject({ hits: 0, returned: 0, limit: 8 * 2 ** 20 })
    const texts = Array.from({ length: others }, (_, i) => text(i))
    for (let turn = 0; turn < 4; turn++) for (const one of texts) remembering.encode(one)
    const { hits, returned, limit, bytes, capacity } = remembering.memoStatistics
    expect(hits).toBeGreaterThan(others)
    expect(returned).toBeGreaterThan(0)
    expect(limit).toBeGreaterThan(8 * 2 ** 20)
    expect(bytes).toBeLessThanOrEqual(limit)
    expect(limit).toBeLessThanOrEqual(capacity)
    for (const one of texts.slice(0, 50)) {
      const ids = remembering.encode(one)
      expect(ids).toEqual(plain.encode(one))
      expect([...ids].filter((id) => remembering.isReserved(id))).toEqual([])
    }
  })

  it('is refused with a size that makes no sense', async () => {
    for (const memoBytes of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '8' as unknown as number]) {
      await expect(load(memoBytes)).rejects.toThrow(InvalidArgumentError)
    }
  })
})

it('remembers what stands between reserved tokens that are looked for in normalized text, where nothing is normalized', async () => {
  const source = JSON.parse(readFileSync(path.join(models['a tokenizer.json'], 'tokenizer.json'), 'utf8'))
  source.normalizer = { type: 'Sequence', normalizers: [] } // as DeepSeek V3 has it
  for (const token of source.added_tokens) if (token.content === '<|im_end|>') token.normalized = true
  const folder = mkdtempSync(path.join(tmpdir(), 'safetokens-memo-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(path.join(folder, 'tokenizer.json'), JSON.stringify(source))
  const tokenizer = await Tokenizer.load(folder)
  const parts = ['a question', trusted('<|im_end|>'), 'an <|im_end|> answer', trusted('<|im_end|>\n')]
  const ids = tokenizer.encode(parts)
  expect([...ids].filter((id) => id === tokenizer.tokenToId('<|im_end|>'))).toHaveLength(2)
  expect(tokenizer.encode(parts)).toEqual(ids)
  expect(tokenizer.memoStatistics).toMatchObject({ hits: 3 })
})
