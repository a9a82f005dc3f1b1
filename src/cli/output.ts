import { EventEmitter, once } from 'node:events'
import { SafetokensError } from '../errors.js'
import type { OutputStream } from './terminal.js'

/**
 * Writes, and waits while the reader at the other end is behind.
 *
 * @throws SafetokensError when the stream closes instead of taking more
 */
export async function print(stream: OutputStream, text: string | Uint8Array): Promise<void> {
  // Streams of a process take bytes as well; stand-ins in tests are given none.
  if (stream.write(text as string) !== false || !(stream instanceof EventEmitter)) return
  const waiting = new AbortController()
  const event = (name: string) => once(stream, name, { signal: waiting.signal }) // it rejects on 'error'
  const closed = event('close').then(() => {
    throw new SafetokensError('OUTPUT_CLOSED', 'the output was closed before everything was written')
  })
  try {
    await Promise.race([event('drain'), closed])
  } finally {
    waiting.abort()
  }
}
