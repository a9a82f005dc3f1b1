import type binding from '../../binding.cjs'
import type { TemplateItem } from '../load/pipeline-spec.js'
import type { Kept } from './truncation.js'

/** The entry of {@link Encoding.sequences} for special tokens that the post-processor added. */
export const NO_SEQUENCE = 255

/**
 * Ids with the places that they come from, as `encode` gives them with `offsets: true`.
 *
 * The offsets of id `i` are at `2 * i` and `2 * i + 1`: where it begins, and where it ends, in its text. Of parts, that
 * is the texts of all of them, one after the other; a `control()` takes no room there, and has a range only where it
 * absorbs white space around it.
 *
 * Ranges are those of the reference, and are always whole characters:
 * - `tokenizer.json` (Hugging Face `tokenizers` 0.23.2): several tokens that make up one character all have that
 *   character; what normalizers and pre-tokenizers put in has the range of its neighbour, or none; added tokens
 *   have the white space that they absorb; with `trim_offsets`, spaces at the ends of tokens are left out. Where the
 *   reference drops a character that it cannot write, its offsets do not skip it.
 * - `.model` (SentencePiece 0.2.3): of the bytes of one character, the last has the character and the others are empty;
 *   white space that is dropped belongs to the piece before it.
 * - rank files: a token has every character of which it holds a byte.
 *
 * Between the ranges of neighbours there may be gaps, and they may overlap.
 */
export interface Encoding {
  /** As without `offsets`. */
  readonly ids: Uint32Array
  /** In UTF-16 units: `text.slice(offsets[2 * i], offsets[2 * i + 1])`. */
  readonly offsets: Uint32Array
  /** In bytes of the text in UTF-8. A lone surrogate is U+FFFD, which has three. */
  readonly byteOffsets: Uint32Array
  /** Whose offsets they are, one entry for each id: 0 the text's, 1 those of `pair`, {@link NO_SEQUENCE} none. */
  readonly sequences: Uint8Array
}

/** Some of the ids, with their offsets. */
export function cutEncoding(
  { ids, offsets, byteOffsets }: binding.NativeEncoding,
  { start, end }: Kept,
): binding.NativeEncoding {
  return {
    ids: ids.subarray(start, end),
    offsets: offsets.subarray(2 * start, 2 * end),
    byteOffsets: byteOffsets.subarray(2 * start, 2 * end),
  }
}

/** Puts the ids of one text or two in their places in a template. */
export function fillTemplate(
  template: readonly TemplateItem[],
  texts: Readonly<Record<'A' | 'B', Uint32Array>>,
): Uint32Array {
  return concat(template.map((item) => ('id' in item ? Uint32Array.of(item.id) : texts[item.text])))
}

/** The same with offsets. */
export function fillTemplateWithOffsets(
  template: readonly TemplateItem[],
  texts: Readonly<Record<'A' | 'B', binding.NativeEncoding>>,
): Encoding {
  const pieces = template.map((item) => ('id' in item ? special(item.id) : texts[item.text]))
  const sequences = new Uint8Array(pieces.reduce((length, { ids }) => length + ids.length, 0))
  let at = 0
  pieces.forEach(({ ids }, i) => {
    const item = template[i] as TemplateItem
    sequences.fill('id' in item ? NO_SEQUENCE : item.text === 'A' ? 0 : 1, at, at + ids.length)
    at += ids.length
  })
  return {
    ids: concat(pieces.map(({ ids }) => ids)),
    offsets: concat(pieces.map(({ offsets }) => offsets)),
    byteOffsets: concat(pieces.map(({ byteOffsets }) => byteOffsets)),
    sequences,
  }
}

function special(id: number): binding.NativeEncoding {
  return { ids: Uint32Array.of(id), offsets: new Uint32Array(2), byteOffsets: new Uint32Array(2) }
}

function concat(pieces: readonly Uint32Array[]): Uint32Array {
  const [only] = pieces
  // A part of an array would keep the whole.
  if (only && pieces.length === 1 && only.byteLength === only.buffer.byteLength) return only
  const all = new Uint32Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}
