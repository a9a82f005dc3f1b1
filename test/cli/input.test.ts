import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fileInput, readAll, readLineBlocks, readLines } from '../../src/cli/input.js'

async function* from(chunks: readonly (string | Uint8Array)[]) {
  yield* chunks
}
const input = (chunks: readonly (string | Uint8Array)[]) => ({ name: 'test', bytes: from(chunks) })

async function lines(chunks: readonly (string | Uint8Array)[], maxLength?: number) {
  const all: (string | undefined)[] = []
  for await (const group of readLines(input(chunks), maxLength)) all.push(...group)
  return all
}

describe('readAll', () => {
  it('keeps or drops a byte order mark, cut anywhere', async () => {
    const bytes = Buffer.from('\ufeffa\ufeff')
    const chunks = [...bytes].map((byte) => Uint8Array.of(byte))
    expect(await readAll(input(chunks), 'keep')).toBe('\ufeffa\ufeff')
    expect(await readAll(input(chunks), 'drop')).toBe('a\ufeff')
    expect(await readAll(input(['\ufeffa']), 'drop')).toBe('a')
  })

  it('replaces what is not UTF-8', async () => {
    const chunks = [Uint8Array.of(0xff, 0x61, 0xe4), Uint8Array.of(0xbd, 0x62, 0xf0)]
    expect(await readAll(input(chunks), 'keep')).toBe('\ufffda\ufffdb\ufffd')
  })

  it('names what cannot be read', async () => {
    await expect(readAll(fileInput('no/such/file'), 'keep')).rejects.toMatchObject({
      code: 'UNREADABLE_INPUT',
      message: expect.stringMatching(/^no\/such\/file cannot be read: ENOENT/),
    })
  })
})

describe('readLines', () => {
  it('gives what split gives, however the bytes are cut', async () => {
    const text = fc.string({ unit: fc.constantFrom('\n', 'a', '你', '😀', '\r'), maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(60), { maxLength: 4 }), async (whole, cuts) => {
        const bytes = Buffer.from(whole)
        const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length]
        const chunks = at.slice(1).map((end, i) => bytes.subarray(at[i], end))
        const expected = whole.split('\n')
        if (expected.at(-1) === '') expected.pop()
        expect(await lines(chunks)).toEqual(expected)
      }),
    )
  })

  it('does not hold a line that is too long', async () => {
    expect(await lines(['12345\n1234', '56\n', '1\n123', '456'], 5)).toEqual([
      '12345',
      undefined,
      '1',
      undefined,
    ])
  })
})

describe('readLineBlocks', () => {
  const blocks = async (chunks: readonly (string | Uint8Array)[], maxLength?: number) => {
    const all: [text: string | undefined, firstLine: number][] = []
    for await (const { bytes, firstLine } of readLineBlocks(input(chunks), maxLength)) {
      all.push([bytes && Buffer.from(bytes).toString(), firstLine])
    }
    return all
  }

  it('gives whole lines at once, with the number of the first', async () => {
    expect(await blocks(['a\nb\nc', 'c', 'c\n\nd\n', '\n', 'e'])).toEqual([
      ['a\nb\n', 1],
      ['ccc\n\nd\n', 3],
      ['\n', 6],
      ['e', 7],
    ])
    expect(await blocks([])).toEqual([])
  })

  it('does not hold a line that is too long', async () => {
    expect(await blocks(['12345\n1234', '56', '7\n1\n123', '456'], 5)).toEqual([
      ['12345\n', 1],
      [undefined, 2],
      ['1\n', 3],
      [undefined, 4],
    ])
  })
})
