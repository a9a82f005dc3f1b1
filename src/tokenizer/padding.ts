import { InvalidArgumentError } from '../errors.js'
import { quoted } from '../load/quoted.js'

/** How the rows of a batch become equally long. */
export interface Padding {
  /** The id that fills rows. Default: the `pad_token` of the model's folder. */
  padId?: number | undefined
  /** Where it goes. Default `right`; models that generate text want `left`. */
  side?: 'left' | 'right' | undefined
  /** How long rows become. Default: as the longest. */
  length?: number | undefined
  /** Rows become so much longer that their length is a multiple of this. */
  padToMultipleOf?: number | undefined
}

/** Rows of ids, and for each id whether it is a token (1) or padding (0). */
export interface EncodedBatch {
  readonly ids: readonly Uint32Array[]
  readonly attentionMask: readonly Uint8Array[]
}

/** Rows one after the other, all equally long. */
export interface PaddedRows {
  readonly ids: Uint32Array
  readonly attentionMask: Uint8Array
  readonly columns: number
}

/** The rows as they are. */
export function unpadded(rows: readonly Uint32Array[]): EncodedBatch {
  return { ids: rows, attentionMask: rows.map((row) => new Uint8Array(row.length).fill(1)) }
}

/**
 * Rows that are filled up. They share one buffer.
 *
 * @param padToken the id that fills rows unless `padding` says otherwise
 * @throws InvalidArgumentError for options that make no sense, and for a row that is longer than `length`
 *
 * Source of behaviour: `pad_encodings` of Hugging Face tokenizers 0.23.2, which lets longer rows pass.
 */
export function padBatch(
  rows: readonly Uint32Array[],
  padding: Padding,
  padToken: number | undefined,
): EncodedBatch {
  const { padId = padToken, side = 'right' } = padding
  if (padId === undefined) {
    throw new InvalidArgumentError('padding.padId: an id was expected, since the model names no pad_token')
  }
  if (!Number.isInteger(padId) || padId < 0 || padId >= 2 ** 32) {
    throw new InvalidArgumentError(`padding.padId: a token id was expected, not ${quoted(padId)}`)
  }
  if (side !== 'left' && side !== 'right') {
    throw new InvalidArgumentError(`padding.side: 'left' or 'right' was expected, not ${quoted(side)}`)
  }
  const { ids, attentionMask, columns } = padRows(rows, padId, side, padding)
  const cut = <T extends Uint32Array | Uint8Array>(flat: T): T[] =>
    rows.map((_, i) => flat.subarray(i * columns, (i + 1) * columns) as T)
  return { ids: cut(ids), attentionMask: cut(attentionMask) }
}

/** @throws InvalidArgumentError for a row that is longer than `length`, and for numbers that are not positive */
export function padRows(
  rows: readonly Uint32Array[],
  padId: number,
  side: 'left' | 'right',
  { length, padToMultipleOf = 1 }: Pick<Padding, 'length' | 'padToMultipleOf'>,
): PaddedRows {
  checkCount('padToMultipleOf', padToMultipleOf)
  checkCount('length', length)
  const longest = rows.reduce((most, row) => Math.max(most, row.length), 0)
  if (length !== undefined && longest > length) {
    throw new InvalidArgumentError(
      `a row of ${longest} tokens is longer than ${length}, to which rows are padded`,
    )
  }
  const columns = Math.ceil((length ?? longest) / padToMultipleOf) * padToMultipleOf
  const ids = new Uint32Array(rows.length * columns).fill(padId)
  const attentionMask = new Uint8Array(rows.length * columns)
  rows.forEach((row, i) => {
    const start = i * columns + (side === 'left' ? columns - row.length : 0)
    ids.set(row, start)
    attentionMask.fill(1, start, start + row.length)
  })
  return { ids, attentionMask, columns }
}

/** @throws InvalidArgumentError for what is no positive whole number */
export function checkCount(name: string, value: number | undefined): void {
  if (value !== undefined && !(Number.isInteger(value) && value > 0)) {
    throw new InvalidArgumentError(`${name} must be a positive whole number, not ${String(value)}`)
  }
}

/** @throws InvalidArgumentError for what is no batch */
export function checkBatch(inputs: unknown, pairs: readonly unknown[] | undefined): void {
  if (Array.isArray(inputs) && (pairs === undefined || pairs.length === inputs.length)) return
  throw new InvalidArgumentError(
    'encodeBatch: a list of inputs was expected, and a pair for each or for none',
  )
}
