import { setTimeout as sleep } from 'node:timers/promises'
import { EngineError } from '../errors.js'
import { checkRequest, type EndReason, type GenerateRequest, isId } from './engine.js'

/** What one event of a server means. */
export interface Piece {
  readonly ids: readonly number[]
  /** Set once the server says that it has ended. */
  readonly end?: EndReason | undefined
  /** The stop id at which it ended, where it names one; it may be left out of `ids`. */
  readonly stopId?: number | undefined
  readonly cachedTokens?: number | undefined
}

/** The longest pause between two attempts, in milliseconds. */
const MAX_PAUSE = 30_000

/**
 * What an engine generates, from what its server sends: up to the first stop id and to `maxTokens`, whatever the server
 * makes of them. A generation that fails before its first id is begun anew.
 *
 * @param attempt begins the generation and reads it
 */
export async function* generation(
  engine: string,
  request: GenerateRequest,
  retries: number,
  attempt: () => AsyncIterable<Piece>,
): AsyncGenerator<Uint32Array, void, undefined> {
  checkRequest(request)
  for (let failures = 0; ; failures++) {
    let begun = false
    try {
      for await (const ids of limited(engine, request, attempt())) {
        begun = true
        yield ids
      }
      return
    } catch (error) {
      if (begun || failures >= retries || !(error instanceof EngineError) || !error.retryable) throw error
      await pause(error.retryAfter ?? backoff(failures), request.signal)
    }
  }
}

async function* limited(
  engine: string,
  { stopIds, maxTokens, onEnd }: GenerateRequest,
  pieces: AsyncIterable<Piece>,
): AsyncGenerator<Uint32Array, void, undefined> {
  const stops = new Set(stopIds)
  const reading = pieces[Symbol.asyncIterator]()
  let count = 0
  let cachedTokens: number | undefined
  try {
    for (;;) {
      const { done, value: piece } = await reading.next()
      if (done) break
      const ids = upToEnd(checkedIds(engine, piece), stops, maxTokens - count)
      count += ids.length
      cachedTokens = piece.cachedTokens ?? cachedTokens
      const reason = stops.has(ids.at(-1) ?? -1) ? 'stop' : count >= maxTokens ? 'length' : piece.end
      if (reason !== undefined) {
        // Whoever reads the last ids may never ask for more, so that all that there is to tell is told before.
        if (piece.end !== undefined) cachedTokens = (await statistics(reading)) ?? cachedTokens
        onEnd?.({ reason, cachedTokens })
      }
      if (ids.length > 0) yield Uint32Array.from(ids)
      if (reason !== undefined) return
    }
  } finally {
    await reading.return?.()
  }
  throw new EngineError('connection', engine, 'the answer ended before the generation did', {
    retryable: true,
  })
}

/** What a server tells behind the end. A connection that breaks off there does no harm. */
async function statistics(reading: AsyncIterator<Piece>): Promise<number | undefined> {
  let cachedTokens: number | undefined
  try {
    for (;;) {
      const { done, value: piece } = await reading.next()
      if (done) return cachedTokens
      cachedTokens = piece.cachedTokens ?? cachedTokens
    }
  } catch (error) {
    if (error instanceof EngineError) return cachedTokens
    throw error
  }
}

/** With the stop id that the server names but does not send. */
function checkedIds(engine: string, { ids, end, stopId }: Piece): readonly number[] {
  const wrong = ids.find((id) => !isId(id))
  if (wrong !== undefined) {
    throw new EngineError('protocol', engine, `a token id was expected, not ${JSON.stringify(wrong)}`)
  }
  return end === 'stop' && isId(stopId) && ids.at(-1) !== stopId ? [...ids, stopId] : ids
}

function upToEnd(ids: readonly number[], stops: ReadonlySet<number>, room: number): readonly number[] {
  const stop = ids.findIndex((id) => stops.has(id))
  return ids.slice(0, Math.min(stop < 0 ? ids.length : stop + 1, room))
}

/** Doubles from half a second on, and is spread, so that clients that failed together do not come back together. */
function backoff(failures: number): number {
  return 500 * 2 ** failures * (0.5 + Math.random() / 2)
}

async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(Math.min(milliseconds, MAX_PAUSE), undefined, signal ? { signal } : {})
  } catch (error) {
    throw signal?.aborted ? signal.reason : error
  }
}
