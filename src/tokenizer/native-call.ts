import {
  CertificateError,
  DisposedError,
  InvalidArgumentError,
  InvalidTokenIdError,
  SafetokensError,
} from '../errors.js'
import addon from '../native.js'
import type { DecodeOptions } from './tokenizer-options.js'

/** Token ids, as `encode` gives them or as a plain array. */
export type TokenIds = Uint32Array | readonly number[]

/** Calls into the addon, whose errors become ours. */
export function native<T>(call: () => T): T {
  try {
    return call()
  } catch (error) {
    throw typedError(error)
  }
}

/** The ids of `encode` and `buildChatInput`, in an array of their own. */
export function idsOf(ids: Uint32Array | number): Uint32Array {
  return typeof ids === 'number' ? addon.fewIds.slice(0, ids) : ids
}

/** Ids in memory that the next call may write over: the first `length` are meant. */
export interface LentIds {
  readonly ids: Uint32Array
  readonly length: number
}

/** The ids of `encode` and `buildChatInput`, as they are. */
export function lentIds(ids: Uint32Array | number): LentIds {
  return typeof ids === 'number' ? { ids: addon.fewIds, length: ids } : { ids, length: ids.length }
}

/** {@link native} for what goes on in another thread. */
export async function nativeAsync<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw typedError(error)
  }
}

export function typedError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof SafetokensError) return error
  const code = (error as { code?: string }).code
  switch (code) {
    case 'CERTIFICATE':
      return new CertificateError(error.message)
    case 'DISPOSED':
      return new DisposedError(error.message)
    case 'INVALID_TOKEN_ID':
      return new InvalidTokenIdError(Number(/^id (\d+)/.exec(error.message)?.[1]), error.message)
    case undefined:
      return error instanceof TypeError || error instanceof RangeError
        ? new InvalidArgumentError(error.message, { cause: error })
        : error
    default:
      return new SafetokensError(code, error.message, { cause: error })
  }
}

/**
 * Ids as the addon takes them.
 *
 * @throws InvalidTokenIdError for a number that can be no id, InvalidArgumentError for anything but a list
 */
export function idArray(ids: TokenIds): Uint32Array {
  if (ids instanceof Uint32Array) return ids
  if (!Array.isArray(ids))
    throw new InvalidArgumentError('ids: a Uint32Array or an array of numbers was expected')
  const array = new Uint32Array(ids.length)
  ids.forEach((id, i) => {
    array[i] = tokenId(id, i)
  })
  return array
}

/** A number that may be an id; `i` tells which one of several it is. */
export function tokenId(id: number, i = 0): number {
  if (Number.isInteger(id) && id >= 0 && id <= 0xffffffff) return id
  throw new InvalidTokenIdError(id, `ids[${i}]: a token id was expected, not ${String(id)}`)
}

/** As `decode` of the addon takes them. */
export function nativeDecodeOptions(
  options: DecodeOptions,
): [separateRuns: boolean, lenient: boolean, skip: boolean] {
  const transformers = options.rules === 'transformers'
  return [!transformers, transformers, options.skipSpecialTokens ?? false]
}
