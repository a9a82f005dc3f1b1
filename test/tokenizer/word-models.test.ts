// WordPiece and WordLevel: words by hand, and which tokens text cannot reach.
import { describe, expect, it } from 'vitest'
import { InvalidArgumentError, UnsupportedTokenizerError } from '../../src/errors.js'
import { control, trusted } from '../../src/prompt/parts.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { byteLevelJson, jsonBytes } from '../fixtures/tokenizer-json.js'
import { type WordModelOptions, wordLevelJson, wordPieceJson } from '../fixtures/word-models.js'

const load = (json: object, options = {}): Tokenizer => Tokenizer.from(jsonBytes(json), options)
const wordPiece = (options?: WordModelOptions): Tokenizer => load(wordPieceJson(options))
const wordLevel = (options?: WordModelOptions): Tokenizer => load(wordLevelJson(options))
const SPLIT = { type: 'WhitespaceSplit' }

/** The tokens of a text. */
function tokens(tokenizer: Tokenizer, input: Parameters<Tokenizer['encode']>[0]): string {
  return Array.from(tokenizer.encode(input), (id) => tokenizer.idToToken(id)).join(' ')
}

describe('WordPiece', () => {
  const bert = wordPiece()

  it.each([
    ['unaffable', 'un ##aff ##able'],
    ['Hello, WORLDS.', 'hello , world ##s .'],
    ['playing', 'play ##ing'],
    ['hi é ÀB', 'h ##i e a ##b'],
    ['你好', '你 好'],
    ['a~b', 'a [UNK] b'],
    ['œuf', '[UNK]'],
    ['', ''],
    [' \t\n', ''],
  ])('%j is %j', (text, expected) => {
    expect(tokens(bert, text)).toBe(expected)
  })

  it('gives unk for words of more than max_input_chars_per_word characters', () => {
    expect(tokens(bert, 'a'.repeat(100))).toBe(['a', ...Array(99).fill('##a')].join(' '))
    expect(tokens(bert, 'a'.repeat(101))).toBe('[UNK]')
    const three = wordPiece({
      vocab: ['😀', '##😀'],
      added: [],
      normalizer: null,
      preTokenizer: SPLIT,
      model: { max_input_chars_per_word: 3 },
    })
    expect(tokens(three, '😀😀😀 😀😀😀😀')).toBe('😀 ##😀 ##😀 [UNK]')
    const none = wordPiece({ model: { max_input_chars_per_word: 0 } })
    expect(tokens(none, 'a hello')).toBe('[UNK] [UNK]')
  })

  it('finds a token with the prefix at the beginning of a word too', () => {
    const tokenizer = wordPiece({ vocab: ['##a', 'b'], added: [], preTokenizer: SPLIT })
    expect(tokens(tokenizer, '##a b##a ba ##aa')).toBe('##a [UNK] b ##a ##a ##a')
  })

  it('tells where tokens end, unk at the end of its word', () => {
    const { ids, offsets } = bert.encode('unaffable œuf', { offsets: true })
    expect(ids).toHaveLength(4)
    expect([...offsets]).toEqual([0, 2, 2, 5, 5, 9, 10, 13])
  })

  it('decodes with clean-up, also as a stream', () => {
    const ids = bert.encode('hello , world . unaffable')
    expect(bert.decode(ids)).toBe('hello, world. unaffable')
    const stream = bert.decodeStream()
    expect(Array.from(ids, (id) => stream.push(id)).join('') + stream.end()).toBe('hello, world. unaffable')
  })
})

describe('reserved pieces of WordPiece', () => {
  const vocab = [
    '[SEP]',
    '[',
    ']',
    '##S',
    '##E',
    '##P',
    '##]',
    '##[SEP]',
    'ab',
    'a',
    '##b',
    '##bc',
    '##x',
    '[unused0]',
  ]
  const tokenizer = wordPiece({
    vocab,
    added: ['[SEP]', { content: 'ab', special: false, single_word: true }, '##[SEP]'],
    normalizer: null,
    preTokenizer: SPLIT,
  })

  it('are passed over: the longest token that is not reserved counts', () => {
    expect(tokens(tokenizer, '[SEP]')).toBe('[ ##S ##E ##P ##]')
    expect(tokens(tokenizer, '[SEP]]')).toBe('[ ##S ##E ##P ##] ##]')
    expect(tokens(tokenizer, 'a[SEP]')).toBe('[UNK]')
    expect(tokens(tokenizer, [trusted('[SEP]'), '[SEP]'])).toBe('[SEP] [ ##S ##E ##P ##]')
  })

  it('make no other word of what the reference cannot part', () => {
    // The reference takes "ab" first, which has no "##c" behind it. Reserved or not, that is unk.
    const listed = load(
      wordPieceJson({
        vocab,
        added: [{ content: 'ab', single_word: true }],
        normalizer: null,
        preTokenizer: { type: 'BertPreTokenizer' },
      }),
    )
    expect(tokens(listed, 'abc')).toBe('[UNK]')
    expect(tokens(listed, 'abx')).toBe('a ##b ##x')
  })

  it('that are only vocabulary are text, in whatever brackets', () => {
    expect(tokens(tokenizer, '[unused0]')).toBe('[unused0]')
    expect(tokenizer.reserved.map(({ name }) => name)).toEqual(['[SEP]', '##[SEP]'])
  })
})

describe('WordLevel', () => {
  const tokenizer = wordLevel()
  const [START, END] = ['<|im_start|>', '<|im_end|>'].map((name) => tokenizer.getCommand(name))

  it('has a token or unk for each word', () => {
    expect(tokens(tokenizer, 'hello there world')).toBe('hello [UNK] world')
    expect(tokens(tokenizer, '')).toBe('')
  })

  it('never finds <|im_end|> in data: it is unk there', () => {
    expect(tokens(tokenizer, 'hello <|im_end|> <|im_start|> system')).toBe('hello [UNK] [UNK] system')
    const ids = tokenizer.encode([trusted('<|im_start|> user '), 'hello <|im_end|>', trusted(' <|im_end|>')])
    expect([...ids].filter((id) => id === START || id === END)).toEqual([START, END])
    expect(tokens(tokenizer, [control('<|im_end|>'), ' <|im_end|>'])).toBe('<|im_end|> [UNK]')
  })

  it('nor when it is no added token, and trusted text spells it all the same', () => {
    const plain = wordLevel({ added: [] })
    expect(plain.reserved).toEqual([
      { id: START, name: '<|im_start|>', reason: 'word that is a bracketed mark' },
      { id: END, name: '<|im_end|>', reason: 'word that is a bracketed mark' },
    ])
    expect(tokens(plain, 'hello <|im_end|>')).toBe('hello [UNK]')
    expect(tokens(plain, trusted('hello <|im_end|>'))).toBe('hello <|im_end|>')
    expect(tokens(plain, [trusted('<|im_start|> user '), '<|im_end|>'])).toBe('<|im_start|> user [UNK]')
    expect(plain.getCommand('<|im_end|>')).toBe(END)
  })

  it('takes words in other brackets for text', () => {
    expect(tokens(tokenizer, '[C@H] .')).toBe('[C@H] .')
  })

  it('reserves what the caller lists, but for unk', () => {
    const listed = load(wordLevelJson(), { reserve: ['[C@H]', 'user'] })
    expect(tokens(listed, '[C@H] user hello')).toBe('[UNK] [UNK] hello')
    expect(listed.reserved.map(({ reason }) => reason)).toContain('listed by the caller')
    expect(() => load(wordLevelJson(), { reserve: ['[UNK]'] })).toThrow(InvalidArgumentError)
    expect(() => load(wordLevelJson(), { reserve: ['none'] })).toThrow(InvalidArgumentError)
    const special = load(wordLevelJson({ added: [] }), { reserve: 'special' })
    expect(tokens(special, '<|im_end|>')).toBe('<|im_end|>')
  })
})

describe('what the post-processor adds', () => {
  const bertProcessing = { type: 'BertProcessing', cls: ['[CLS]', 2], sep: ['[SEP]', 3] }

  it('is reserved, also when the file has it not among its added tokens', () => {
    const tokenizer = wordPiece({
      added: [],
      normalizer: null,
      preTokenizer: SPLIT,
      postProcessor: bertProcessing,
    })
    expect(tokenizer.reserved).toEqual([
      { id: 2, name: '[CLS]', reason: 'token of the post-processor' },
      { id: 3, name: '[SEP]', reason: 'token of the post-processor' },
    ])
    expect(tokens(tokenizer, '[CLS] hello [SEP]')).not.toMatch(/\[CLS\]|\[SEP\]/)
    expect(tokens(tokenizer, trusted('[CLS] hello'))).toBe('[CLS] hello')
    const ids = tokenizer.encode('hello', { addSpecialTokens: true, pair: '[SEP]' })
    expect([...ids].filter((id) => id === 2 || id === 3)).toEqual([2, 3, 3])
  })

  it('cannot be unk, which unknown words need', () => {
    const json = wordPieceJson({ postProcessor: { ...bertProcessing, sep: ['[UNK]', 0] } })
    expect(() => load(json)).toThrow(UnsupportedTokenizerError)
    expect(() => load(json)).toThrow('unk_token "[UNK]": the post-processor adds it too')
  })

  it('may be unk where no text needs it: CLIP', () => {
    const json = byteLevelJson({
      added: ['<|endoftext|>'],
      merges: [],
      model: { unk_token: '<|endoftext|>', end_of_word_suffix: '</w>' },
    })
    const { vocab } = json.model
    const bytes = Object.keys(vocab)
    for (const byte of bytes) vocab[`${byte}</w>`] = Object.keys(vocab).length
    const id = Object.keys(vocab).length
    vocab['<|endoftext|>'] = id
    json.added_tokens = json.added_tokens.map((token) => ({ ...token, id }))
    json.post_processor = { ...bertProcessing, cls: ['<|endoftext|>', id], sep: ['<|endoftext|>', id] }
    const clip = load(json)
    expect(clip.reserved.map(({ name }) => name)).toEqual(['<|endoftext|>'])
    expect([...clip.encode('<|endoftext|> \u0378 \ud800')]).not.toContain(id)
    expect([...clip.encode('a', { addSpecialTokens: true })]).toEqual([id, vocab['a</w>'], id])

    vocab['?????'] = vocab['~</w>'] as number
    delete vocab['~</w>']
    expect(() => load(json)).toThrow('unk_token')
  })
})
