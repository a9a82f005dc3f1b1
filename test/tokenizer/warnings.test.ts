import { afterAll, describe, expect, it } from 'vitest'
import { Tokenizer } from '../../src/index.js'
import { bytePieces, modelBytes } from '../fixtures/model-bytes.js'
import { ModelFolders } from '../fixtures/model-folder.js'
import { byteFallbackJson, byteLevelJson, jsonBytes } from '../fixtures/tokenizer-json.js'

const folders = new ModelFolders()
afterAll(() => folders.remove())

const codes = ({ warnings }: Tokenizer) => warnings.map(({ code }) => code)

describe('warnings', () => {
  it('are none for a plain model', () => {
    const tokenizer = Tokenizer.from(jsonBytes(byteLevelJson({ added: ['<|user|>'] })))
    expect(tokenizer.warnings).toEqual([])
    expect(Object.isFrozen(tokenizer.warnings)).toBe(true)
  })

  it('tell of text tokens that overlap reserved ones', () => {
    const added = ['<|user|>', { content: '\n<', special: false }, { content: '  ', special: false }]
    const tokenizer = Tokenizer.from(jsonBytes(byteLevelJson({ added })))
    expect(tokenizer.warnings).toMatchObject([
      { code: 'RESERVED_TEXT_OVERLAP', reserved: { name: '<|user|>' }, text: { name: '\n<' } },
    ])
    const special = Tokenizer.from(jsonBytes(byteLevelJson({ added })), { reserve: 'all-added' })
    expect(special.warnings).toEqual([]) // now both are reserved
  })

  it('tell of overlaps in SentencePiece models too', () => {
    const pieces = modelBytes([
      ['<unk>', 0, 2],
      ['<s>', 0, 3],
      ['<|user|>', 0, 4],
      ['\n<', 0, 4],
      ['a', -1],
    ])
    expect(Tokenizer.from(pieces).warnings).toMatchObject([
      { code: 'RESERVED_TEXT_OVERLAP', reserved: { id: 1, name: '<s>' }, text: { id: 3, name: '\n<' } },
      { code: 'UNK_NOT_RESERVED', token: { id: 0, name: '<unk>' } },
    ])
  })

  it('tell that unk is not reserved where the model needs it', () => {
    const json = byteFallbackJson({ added: ['<unk>'] })
    expect(codes(Tokenizer.from(jsonBytes(json)))).toEqual([])
    json.model.byte_fallback = false
    expect(Tokenizer.from(jsonBytes(json)).warnings).toEqual([
      {
        code: 'UNK_NOT_RESERVED',
        token: { id: 0, name: '<unk>' },
        message: expect.stringContaining('"<unk>" (id 0) is not reserved'),
      },
    ])
    expect(
      codes(Tokenizer.from(modelBytes([['<unk>', 0, 2], ...bytePieces()], { byteFallback: true }))),
    ).toEqual([])
  })

  it('tell of special tokens that text cannot do without', async () => {
    const json = byteLevelJson()
    const place = folders.make({ 'tokenizer.json': json, 'tokenizer_config.json': { pad_token: '!' } })
    const tokenizer = await Tokenizer.load(place)
    expect(tokenizer.warnings).toMatchObject([{ code: 'SPECIAL_NOT_RESERVED', token: { id: 33, name: '!' } }])
    expect(tokenizer.reserved).toEqual([])
    expect(tokenizer.decode(tokenizer.encode('hi! you!'))).toBe('hi! you!')
    const listed = Tokenizer.load(place, { reserve: ['!'] })
    await expect(listed).rejects.toThrow('reserve: "!" cannot be reserved')
  })

  it("tell where the folder's configs contradict the tokenizer", async () => {
    const json = byteLevelJson({ added: ['<s>'] })
    const id = json.added_tokens[0]?.id as number
    const place = folders.make({
      'tokenizer.json': json,
      'tokenizer_config.json': {
        added_tokens_decoder: {
          7: { content: '<s>', special: true },
          [id + 1]: { content: '<a>', special: true },
          [id + 9]: { content: '<b>', special: true },
        },
        auto_map: { AutoTokenizer: ['tokenization_x.XTokenizer', null] },
      },
      'special_tokens_map.json': { bos_token: '<s>' },
      'chat_template.jinja': 'a',
      'chat_template.json': { chat_template: 'b' },
    })
    const tokenizer = await Tokenizer.load(place)
    expect(tokenizer.warnings).toMatchObject([
      { code: 'CHAT_TEMPLATES_DIFFER', name: 'default' },
      { code: 'CUSTOM_CODE', name: 'tokenization_x.XTokenizer' },
      { code: 'ADDED_TOKEN_ID', token: { id, name: '<s>' }, configId: 7 },
      { code: 'ADDED_TOKEN_ID', token: { id: id + 2, name: '<b>' }, configId: id + 9 },
    ])
    expect(tokenizer.getCommand('<b>')).toBe(id + 2)
  })

  it('tell of tokens that a rank file does not have', async () => {
    const ranks = Array.from({ length: 256 }, (_, i) => `${Buffer.from([i]).toString('base64')} ${i}\n`).join(
      '',
    )
    const place = folders.make({
      'x.tiktoken': ranks,
      'tokenizer_config.json': {
        auto_map: { AutoTokenizer: ['x.Y', null] },
        pad_token: '<pad>',
        eos_token: '<|end|>',
        added_tokens_decoder: { 256: { content: '<|end|>' }, 257: { content: '<|more|>' } },
      },
    })
    const encoding = { pattern: '\\w+|\\W', specialTokens: { '<|end|>': 256 } }
    const { warnings } = await Tokenizer.load(place, { encoding })
    expect(warnings).toMatchObject([
      { code: 'ADDED_TOKEN_MISSING', name: '<|more|>' },
      { code: 'ADDED_TOKEN_MISSING', name: '<pad>' },
    ])
  })
})
