import os from 'node:os'
import type binding from '../../binding.cjs'
import { InvalidArgumentError } from '../errors.js'
import type { PackedParts } from '../prompt/parts.js'
import { typedError } from './native-call.js'

export interface AsyncOptions {
  /** Gives up: what has not begun is left undone, and the promise is rejected with the signal's reason. */
  signal?: AbortSignal | undefined
}

export interface AsyncBatchOptions extends AsyncOptions {
  /** How many threads work at once. Default: as many as there are, and Node's pool has: four, or UV_THREADPOOL_SIZE. */
  threads?: number | undefined
}

/** Texts go to a thread together, in UTF-16 units: crossing over costs some microseconds. */
const MOST_UNITS = 2 ** 18
const LEAST_UNITS = 2 ** 14

/**
 * The ids of several texts, in their order, made on other threads. So many tasks run at once that each thread has one,
 * and there are enough of them that no thread waits long for the others.
 *
 * @throws InvalidArgumentError for a number of threads that is none; the signal's reason when it is aborted
 */
export async function encodeRows(
  native: binding.NativeTokenizer,
  inputs: readonly PackedParts[],
  { signal, threads = defaultThreads() }: AsyncBatchOptions,
): Promise<Uint32Array[]> {
  if (!Number.isInteger(threads) || threads < 1) {
    throw new InvalidArgumentError(`threads: a whole number from 1 up was expected, not ${String(threads)}`)
  }
  signal?.throwIfAborted()
  const total = inputs.reduce((sum, { text }) => sum + text.length, 0)
  const size = Math.min(MOST_UNITS, Math.max(LEAST_UNITS, Math.ceil(total / (4 * threads))))
  const tasks = grouped(inputs, size)
  const results: Uint32Array[][] = []
  let next = 0
  const work = async (): Promise<void> => {
    while (next < tasks.length) {
      signal?.throwIfAborted()
      const place = next++
      results[place] = await encodeTogether(native, tasks[place] as readonly PackedParts[])
    }
  }
  const workers = Array.from({ length: Math.min(threads, tasks.length) }, work)
  await (signal === undefined ? Promise.all(workers) : abortable(Promise.all(workers), signal))
  return results.flat()
}

/** A promise that is rejected as soon as the signal is aborted. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
  })
  // Whoever loses may still fail, and nobody waits for it then.
  promise.catch(() => {})
  try {
    signal.throwIfAborted()
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', stop as () => void)
  }
}

function defaultThreads(): number {
  const pool = Number(process.env.UV_THREADPOOL_SIZE) || 4
  return Math.max(1, Math.min(pool, os.availableParallelism()))
}

function grouped(inputs: readonly PackedParts[], size: number): PackedParts[][] {
  const groups: PackedParts[][] = []
  let units = size
  for (const input of inputs) {
    if (units >= size) {
      groups.push([])
      units = 0
    }
    groups.at(-1)?.push(input)
    units += input.text.length
  }
  return groups
}

async function encodeTogether(
  native: binding.NativeTokenizer,
  inputs: readonly PackedParts[],
): Promise<Uint32Array[]> {
  const parts = new Uint32Array(inputs.reduce((sum, input) => sum + input.parts.length, 0))
  const ends = new Uint32Array(inputs.length)
  let at = 0
  inputs.forEach((input, i) => {
    parts.set(input.parts, at)
    at += input.parts.length
    ends[i] = at / 2
  })
  const text = inputs.map((input) => input.text).join('')
  try {
    const encoded = await native.encodeBatchAsync(parts, text, ends)
    return inputs.map((_, i) => encoded.ids.subarray(i === 0 ? 0 : encoded.ends[i - 1], encoded.ends[i]))
  } catch (error) {
    throw typedError(error)
  }
}
