import { describe, expect, it } from 'vitest'
import { TokenizerFileError, UnsupportedTokenizerError } from '../../../src/errors.js'
import { type ByteSource, memorySource } from '../../../src/load/gguf/byte-source.js'
import { type GgufHeader, readGgufHeader } from '../../../src/load/gguf/container.js'
import { type GgufInputs, type GgufLayout, ggufBytes } from '../../fixtures/gguf-writer.js'

const VALUES: GgufInputs = {
  u8: ['u8', 255],
  i8: ['i8', -128],
  u16: ['u16', 65_535],
  i16: ['i16', -32_768],
  u32: ['u32', 2 ** 32 - 1],
  i32: ['i32', -(2 ** 31)],
  f32: ['f32', 0.5],
  u64: ['u64', 2n ** 53n - 1n],
  i64: ['i64', -(2n ** 53n) + 1n],
  f64: ['f64', 1e300],
  bool: ['bool', true],
  string: ['string', 'naïve 你好\0\ufeff'],
  empty: ['string', ''],
  strings: ['strings', ['a', '', 'Ġ', new Uint8Array([0xff])]],
  none: ['strings', []],
  u8s: ['u8s', [1, 2, 255]],
  i32s: ['i32s', [-1, 2, 3]],
  f32s: ['f32s', [-1e9, 0, 0.25]],
  u64s: ['u64s', [7]],
}

const read = (bytes: Uint8Array, wanted: (key: string) => boolean = () => true): GgufHeader =>
  readGgufHeader(memorySource(bytes), 'x.gguf', wanted)

function errorOf(bytes: Uint8Array, wanted?: (key: string) => boolean): Error {
  try {
    read(bytes, wanted)
  } catch (error) {
    return error as Error
  }
  throw new Error('no error')
}

describe('values', () => {
  it.each<[string, GgufLayout]>([
    ['version 3, little-endian', {}],
    ['version 2', { version: 2 }],
    ['version 3, big-endian', { littleEndian: false }],
  ])('of all types: %s', (_, layout) => {
    const header = read(ggufBytes(VALUES, layout))
    expect(header).toMatchObject({
      version: layout.version ?? 3,
      littleEndian: layout.littleEndian ?? true,
    })
    const values = Object.fromEntries([...header.entries].map(([key, { value }]) => [key, value]))
    expect(values).toMatchObject({
      u8: 255,
      i8: -128,
      u16: 65_535,
      i16: -32_768,
      u32: 2 ** 32 - 1,
      i32: -(2 ** 31),
      f32: 0.5,
      u64: 2 ** 53 - 1,
      i64: -(2 ** 53) + 1,
      f64: 1e300,
      bool: true,
      string: 'naïve 你好\0\ufeff',
      empty: '',
      strings: {
        count: 4,
        bytes: Uint8Array.of(0x61, 0xc4, 0xa0, 0xff),
        offsets: Uint32Array.of(0, 1, 1, 3, 4),
      },
      none: { count: 0 },
      u8s: Float64Array.of(1, 2, 255),
      i32s: Float64Array.of(-1, 2, 3),
      f32s: Float64Array.of(-1e9, 0, 0.25),
      u64s: Float64Array.of(7),
    })
  })

  it('have the byte where they begin', () => {
    const { entries } = read(ggufBytes({ a: ['u8', 1], bc: ['bool', true] }))
    expect([...entries]).toEqual([
      ['a', { value: 1, at: 24 + 9 + 4 }],
      ['bc', { value: true, at: 24 + 9 + 4 + 1 + 10 + 4 }],
    ])
  })

  it('that are not wanted are passed over, arrays in arrays too', () => {
    const nested = raw([9, 9, [2n], 9, [1n], 8, [1n], [3n], 'abc', 8, [0n]])
    const bytes = ggufBytes({ ...VALUES, nested: ['raw', nested], last: ['u8', 3] })
    expect([...read(bytes, (key) => key === 'last').entries.keys()]).toEqual(['last'])
  })

  it('may be followed by anything', () => {
    const bytes = ggufBytes({ a: ['u8', 1] }, { tensors: 1 })
    const longer = new Uint8Array(bytes.length + 1000).fill(0xff)
    longer.set(bytes)
    expect(read(longer).entries.get('a')?.value).toBe(1)
  })
})

/** Numbers as u32, those in lists as u64, and text as it is. */
function raw(parts: readonly (number | readonly bigint[] | string)[]): Uint8Array {
  const bytes = parts.flatMap((part) => {
    if (typeof part === 'string') return [...new TextEncoder().encode(part)]
    const view = new DataView(new ArrayBuffer(typeof part === 'number' ? 4 : 8))
    if (typeof part === 'number') view.setUint32(0, part, true)
    else view.setBigUint64(0, part[0] as bigint, true)
    return [...new Uint8Array(view.buffer)]
  })
  return Uint8Array.from(bytes)
}

describe('a hostile header', () => {
  const HUGE = 2n ** 60n
  const value = (...parts: Parameters<typeof raw>[0]): Uint8Array => ggufBytes({ key: ['raw', raw(parts)] })
  const deep = (levels: number) => Array.from({ length: levels }, () => [9, [1n]] as const).flat()

  it.each<[string, Uint8Array, RegExp]>([
    ['nothing', new Uint8Array(), /byte 0: the file ends too early/],
    ['another file', new TextEncoder().encode('PK\x03\x04 and more'), /byte 0: "GGUF" was expected/],
    ['its magic number alone', new TextEncoder().encode('GGUF'), /byte 4: the file ends too early/],
    [
      '2^60 pairs',
      ggufBytes({}, { pairs: HUGE }),
      /byte 16: metadata_kv_count: there is no room for 1152921504606847000/,
    ],
    ['2^60 tensors', ggufBytes({}, { tensors: HUGE }), /byte 8: tensor_count/],
    ['a pair too many', ggufBytes({ a: ['u8', 1] }, { pairs: 2 }), /key 1, byte 38: .*|metadata_kv_count/],
    ['a string of 2^60 bytes', value(8, [HUGE]), /key, byte 39: length of the string: there is no room/],
    ['a string of 2^64 - 1 bytes', value(8, [2n ** 64n - 1n]), /no room for 18446744073709552000/],
    ['a string behind the end', value(8, [100n], 'abc'), /key, byte 39: length of the string/],
    ['an array of 2^60 numbers', value(9, 4, [HUGE]), /key, byte 43: length of the array/],
    ['an array of 2^60 strings', value(9, 8, [HUGE]), /length of the array/],
    [
      'an array of 2^60 arrays',
      value(9, 9, [HUGE]),
      /an array of arrays is not expected here|length of the array/,
    ],
    ['an unknown type', value(13), /key, byte 35: a type from 0 to 12 was expected, not 13/],
    ['an unknown type of elements', value(9, 99, [0n]), /a type from 0 to 12 was expected, not 99/],
    [
      'a key of 2^60 bytes',
      raw(['GGUF', 3, [0n], [1n], [HUGE], 'a'.repeat(20)]),
      /key 0, byte 24: length of the key/,
    ],
    ['an empty key', ggufBytes({ '': ['u8', 1] }), /a key of 1 to 65535 bytes was expected, not of 0/],
    ['a long key', ggufBytes({ ['k'.repeat(65_536)]: ['u8', 1] }), /not of 65536/],
    [
      'a key that is not UTF-8',
      raw(['GGUF', 3, [0n], [1n], [1n], 0xff, 0, 0, 0]),
      /key 0, byte 32: .* not valid UTF-8/,
    ],
    ['a string that is not UTF-8', value(8, [4n], 0xffffffff), /key, byte 47: the string is not valid UTF-8/],
    ['a number beyond doubles', value(10, [2n ** 53n]), /the number 9007199254740992 is too large/],
  ])('of %s', (_, bytes, message) => {
    const error = errorOf(bytes)
    expect(error).toBeInstanceOf(TokenizerFileError)
    expect(error.message).toMatch(message)
    expect(error.message).toMatch(/^x\.gguf: /)
  })

  it('of a key that occurs twice', () => {
    const once = ggufBytes({ a: ['u8', 1] })
    const twice = new Uint8Array([...once, ...once.subarray(24)])
    twice[16] = 2
    expect(errorOf(twice).message).toMatch(/^x\.gguf: a, byte 51: the key occurs twice/)
  })

  it('of arrays inside each other', () => {
    expect(errorOf(value(9, ...deep(4), 0, [0n]), () => false).message).toMatch(/at most 4 are supported/)
    expect(read(value(9, ...deep(3), 0, [0n]), () => false).entries.size).toBe(0)
  })

  it('of versions that are not known', () => {
    for (const version of [0, 1, 4, 0x0300_0000 - 1]) {
      const error = errorOf(ggufBytes({}, { version }))
      expect(error).toBeInstanceOf(UnsupportedTokenizerError)
      expect(error.message).toContain('known are 2 and 3')
    }
  })

  it('cut off at any byte', () => {
    const bytes = ggufBytes(VALUES)
    for (let end = 0; end < bytes.length; end++) {
      expect(errorOf(bytes.subarray(0, end))).toBeInstanceOf(TokenizerFileError)
    }
  })

  it('that is longer than any real one', () => {
    const head = ggufBytes({ key: ['raw', raw([9, 0, [10n ** 12n]])] }, { pairs: 2 })
    const zeros = new Uint8Array(2 ** 20)
    const endless: ByteSource = {
      size: 2 ** 42,
      read: (at, length) => {
        const bytes = zeros.slice(0, length)
        bytes.set(head.subarray(Math.min(at, head.length), Math.min(at + length, head.length)))
        return bytes
      },
    }
    const open = () => readGgufHeader(endless, 'x.gguf', () => false)
    expect(open).toThrow(/the header is longer than 134217728 bytes/)
  })
})
