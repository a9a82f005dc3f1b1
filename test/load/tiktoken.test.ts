import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { ENCODINGS, type EncodingName, type RankEncoding } from '../../src/load/encodings.js'
import { readRankFile } from '../../src/load/tiktoken.js'
import { TokenKind } from '../../src/load/token-table.js'
import { describeShared, sharedFile } from '../conformance/shared.js'
import { failure, tokenBytes, utf8 } from '../fixtures/tokenizer-file.js'

const PACKAGES = fileURLToPath(new URL('../conformance/node_modules', import.meta.url))
const ENCODING: RankEncoding = { pattern: '\\w+|\\W', specialTokens: { '<|end|>': 300 } }

const line = (bytes: readonly number[], rank: number): string =>
  `${Buffer.from(bytes).toString('base64')} ${rank}`
const BYTES = Array.from({ length: 256 }, (_, byte) => line([byte], byte))

function read(lines: readonly string[], encoding: EncodingName | RankEncoding | undefined = ENCODING) {
  return readRankFile(utf8(lines.join('\n')), 'x.tiktoken', encoding)
}

describe('a rank file', () => {
  it('is read into tokens, special tokens and a pattern', () => {
    const spec = read([...BYTES, line([104, 105], 256), ''])
    expect(spec).toMatchObject({
      source: 'x.tiktoken',
      semantics: 'tiktoken',
      model: { type: 'bpe', alphabet: 'bytes', merges: 'ranks', ignoreMerges: true, unkId: undefined },
      normalizers: [],
      preTokenizers: [{ type: 'Split', pattern: { regex: '\\w+|\\W' }, behavior: 'removed', invert: true }],
      decoders: [{ type: 'ByteLevel' }],
      postProcessor: undefined,
    })
    expect(spec.addedTokens).toMatchObject([
      { id: 300, content: '<|end|>', special: true, normalized: false },
    ])
    const tokens = tokenBytes(spec)
    expect(tokens.slice(0, 256)).toEqual(BYTES.map((_, byte) => String.fromCharCode(byte)))
    expect([tokens[256], tokens[257], tokens[300]]).toEqual(['hi', '', '<|end|>'])
    expect([255, 256, 257, 299, 300].map((id) => spec.tokens.kinds[id])).toEqual([
      TokenKind.MODEL,
      TokenKind.MODEL,
      TokenKind.NONE,
      TokenKind.NONE,
      TokenKind.ADDED,
    ])
  })

  it('may have ranks in any order, blank lines and the line ends of Windows', () => {
    const lines = [...BYTES, line([104, 105], 270)].reverse()
    const windows = readRankFile(utf8(`${lines.join('\r\n\r\n')}\r\n`), 'x', ENCODING)
    expect(windows.tokens).toEqual(read([...BYTES, line([104, 105], 270)]).tokens)
  })

  it.each<[string, string, string]>([
    ['line 257', 'YWI=', 'a token in base64, a space and a rank'],
    ['line 257', 'YW 256', 'not base64'],
    ['line 257', 'YWI 256', 'not base64'],
    ['line 257', 'YWI*YWI= 256', 'not base64'],
    ['line 257', 'YWJ= 256', 'not base64'], // bits that would be dropped
    ['line 257', '=YWI 256', 'not base64'],
    ['line 257', ' 256', 'not base64'],
    ['line 257', 'YWI= -1', 'a rank was expected'],
    ['line 257', 'YWI= 1.5', 'a rank was expected'],
    ['line 257', 'YWI= 256 7', 'a rank was expected'],
    ['line 257', 'YWI= ', 'a rank was expected'],
    ['line 257', 'YWI= 16777216', 'a rank was expected'],
    ['line 257', 'YWI= 99999999999', 'a rank was expected'],
    ['line 257', 'YWI= 16777215', 'too far from the others'],
    ['line 257', 'YWI= 7', 'the id 7 belongs to another token'],
    ['line 257', 'AA== 256', 'the token occurs twice'],
  ])('is an error at %s: %s', (where, last, message) => {
    const error = failure(() => read([...BYTES, last]))
    expect(error).toMatchObject({ name: 'TokenizerFileError', where })
    expect(error.message).toContain(message)
  })

  it('must have a token for each byte', () => {
    expect(failure(() => read(BYTES.filter((_, i) => i !== 0x2a)))).toMatchObject({
      name: 'TokenizerFileError',
      message: expect.stringContaining('the byte 0x2A has no token'),
    })
    expect(failure(() => read([''])).message).toContain('there are no tokens')
  })
})

describe('the encoding', () => {
  it('must be given when the file is not known', () => {
    const error = failure(() => readRankFile(utf8(BYTES.join('\n')), 'x'))
    expect(error).toMatchObject({ name: 'UnsupportedTokenizerError', where: 'unknown rank file' })
    expect(error.message).toContain('{ pattern, specialTokens }')
  })

  it.each<[string, unknown]>([
    ['is not known', 'o300k'],
    ['is not known', '__proto__'],
    ['the rank file of cl100k_base has 100256', 'cl100k_base'],
    ['pattern: ', { pattern: '', specialTokens: {} }],
    ['specialTokens["<x>"]: a name and an id', { ...ENCODING, specialTokens: { '<x>': -1 } }],
    ['specialTokens["<x>"]: a name and an id', { ...ENCODING, specialTokens: { '<x>': 2 ** 24 } }],
    ['specialTokens[""]: a name and an id', { ...ENCODING, specialTokens: { '': 300 } }],
    ['specialTokens["<x>"]: the id 7 belongs', { ...ENCODING, specialTokens: { '<x>': 7 } }],
    ['specialTokens["<y>"]: the id 300 belongs', { ...ENCODING, specialTokens: { '<x>': 300, '<y>': 300 } }],
    ['specialTokens["<x>"]: the id 99999 is too far', { ...ENCODING, specialTokens: { '<x>': 99999 } }],
  ])('must fit: %s', (message, encoding) => {
    const error = failure(() => read(BYTES, encoding as RankEncoding))
    expect(error.name).toBe('InvalidArgumentError')
    expect(error.message).toContain(message)
  })

  it('has special tokens behind or between its ranks', () => {
    for (const [name, { ranks, specialTokens }] of Object.entries(ENCODINGS)) {
      const ids = Object.values(specialTokens)
      expect(new Set(ids).size, name).toBe(ids.length)
      expect(Math.min(...ids), name).toBeGreaterThanOrEqual(name.startsWith('p50k') ? 50256 : ranks)
    }
    expect(ENCODINGS.o200k_harmony.specialTokens).toMatchObject({
      '<|startoftext|>': 199998,
      '<|reserved_200011|>': 200011,
      '<|call|>': 200012,
      '<|endofprompt|>': 200018,
      '<|reserved_201087|>': 201087,
    })
    expect(ENCODINGS.llama3.specialTokens).toMatchObject({
      '<|eot_id|>': 128009,
      '<|reserved_special_token_245|>': 128255,
    })
    expect(ENCODINGS.llama4.specialTokens).toMatchObject({
      '<|finetune_right_pad|>': 200018,
      '<|image_start|>': 200080,
      '<|patch|>': 200092,
      '<|vision_reserved_special_token_1047|>': 201133,
      '<|reasoning_thinking_end|>': 201143,
      '<|reserved_special_token_0|>': 201144,
    })
    expect(ENCODINGS.qwen.specialTokens).toMatchObject({ '<|im_end|>': 151645, '<|extra_204|>': 151850 })
  })
})

describe.each<[EncodingName, EncodingName]>([
  ['r50k_base', 'r50k_base'],
  ['p50k_base', 'p50k_base'],
  ['p50k_base', 'p50k_edit'],
  ['cl100k_base', 'cl100k_base'],
  ['o200k_base', 'o200k_base'],
  ['o200k_base', 'o200k_harmony'],
])("gpt-tokenizer's %s.tiktoken", (file, name) => {
  it(`is read as ${name}`, () => {
    const bytes = readFileSync(path.join(PACKAGES, 'gpt-tokenizer/data', `${file}.tiktoken`))
    const spec = readRankFile(bytes, file, file === name ? undefined : name)
    const { ranks, specialTokens, pattern } = ENCODINGS[name]
    expect(spec.tokens.kinds.filter((kind) => kind === TokenKind.MODEL)).toHaveLength(ranks)
    expect(spec.addedTokens.map(({ content, id }) => [content, id])).toEqual(Object.entries(specialTokens))
    const oracle = path.join(PACKAGES, 'tiktoken/encoders', `${name}.json`)
    if (!existsSync(oracle)) return // the package has no o200k_harmony
    const { pat_str, special_tokens } = JSON.parse(readFileSync(oracle, 'utf8'))
    expect({ pattern, specialTokens }).toEqual({ pattern: pat_str, specialTokens: special_tokens })
  })
})

describeShared("GLM-4's tokenizer.model", () => {
  it('is known by its hash', () => {
    const spec = readRankFile(readFileSync(sharedFile('data', 'glm4', 'tokenizer.model') as string), 'glm4')
    expect(spec.tokens.kinds).toHaveLength(151343)
    expect(spec.addedTokens.find(({ content }) => content === '<|observation|>')?.id).toBe(151338)
    expect(tokenBytes(spec)[198]).toBe('\n')
  })
})
