import { InvalidArgumentError } from '../errors.js'
import { checkCount, padRows } from '../tokenizer/padding.js'

/** Model input for one prompt. */
export interface ModelInput {
  readonly inputIds: Uint32Array
  /** 1 for each token. */
  readonly attentionMask: Uint8Array
  /** 0 to n - 1. */
  readonly positionIds: Uint32Array
}

/** Model input for several prompts: flat arrays, row after row. */
export interface BatchInput extends ModelInput {
  /** Rows and columns. */
  readonly shape: readonly [rows: number, columns: number]
}

export interface TruncationOptions {
  /** Longest row in tokens, special tokens included. */
  maxLength?: number | undefined
  /** Cut rows that are longer than `maxLength`, at their end. Default false: such a row is an error. */
  truncation?: boolean | undefined
}

export interface PaddingOptions extends TruncationOptions {
  /** Pad to the longest row (default) or to `maxLength`. */
  padding?: 'longest' | 'max_length' | undefined
  /** Make the number of columns a multiple of this. */
  padToMultipleOf?: number | undefined
}

/** The input for one row of ids, nothing padded. */
export function modelInput(inputIds: Uint32Array): ModelInput {
  const length = inputIds.length
  return {
    inputIds,
    attentionMask: new Uint8Array(length).fill(1),
    positionIds: Uint32Array.from({ length }, (_, i) => i),
  }
}

/**
 * Cuts a row at its end, as `truncation_side='right'` does.
 *
 * @throws InvalidArgumentError for a row that is too long and may not be cut
 */
export function truncate(ids: Uint32Array, options: TruncationOptions): Uint32Array {
  const { maxLength, truncation = false } = options
  checkCount('maxLength', maxLength)
  if (maxLength === undefined) {
    if (truncation) throw new InvalidArgumentError('truncation needs maxLength')
    return ids
  }
  if (ids.length <= maxLength) return ids
  if (!truncation) {
    throw new InvalidArgumentError(
      `a row of ${ids.length} tokens is longer than maxLength ${maxLength}; truncation: true would cut it`,
    )
  }
  return ids.slice(0, maxLength)
}

/**
 * Lays rows out as one batch, padded on the left: ids, mask and positions of the padding are `padId`, 0 and 0.
 *
 * @throws InvalidArgumentError for contradictory options or rows that are too long
 */
export function padLeft(
  rows: readonly Uint32Array[],
  padId: number,
  options: PaddingOptions = {},
): BatchInput {
  const { padding = 'longest', maxLength, padToMultipleOf = 1 } = options
  if (padding !== 'longest' && padding !== 'max_length') {
    throw new InvalidArgumentError(
      `padding must be 'longest' or 'max_length', not ${JSON.stringify(padding)}`,
    )
  }
  if (padding === 'max_length' && maxLength === undefined) {
    throw new InvalidArgumentError("padding: 'max_length' needs maxLength")
  }
  const cut = rows.map((row) => truncate(row, options))
  const { ids, attentionMask, columns } = padRows(cut, padId, 'left', {
    padToMultipleOf,
    length: padding === 'max_length' ? maxLength : undefined,
  })
  const positionIds = new Uint32Array(ids.length)
  cut.forEach((row, i) => {
    const start = (i + 1) * columns - row.length
    for (let k = 0; k < row.length; k++) positionIds[start + k] = k
  })
  return { inputIds: ids, attentionMask, positionIds, shape: [rows.length, columns] }
}
