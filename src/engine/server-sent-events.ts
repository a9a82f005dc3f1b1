/** The longest event that is read, in UTF-16 units: a server that never ends one must not fill the memory. */
const MAX_EVENT = 2 ** 24

/**
 * Reads a stream of server-sent events, however it is cut: in the middle of a line end or of a character too.
 *
 * Source of behaviour: WHATWG HTML, 9.2.6 "Interpreting an event stream". Beyond it, an event counts that the end of the
 * stream cuts off before its empty line, and so does a line `error: {...}`, which older llama.cpp servers send.
 */
export class EventStreamParser {
  readonly #utf8 = new TextDecoder() // takes away a byte order mark
  readonly #maxEvent: number
  #line: string[] = []
  #data: string[] = []
  #length = 0
  #afterReturn = false

  constructor(maxEvent: number = MAX_EVENT) {
    this.#maxEvent = maxEvent
  }

  /**
   * The data of the events that these bytes complete.
   *
   * @throws RangeError for an event that is too long
   */
  push(bytes: Uint8Array): string[] {
    return this.#read(this.#utf8.decode(bytes, { stream: true }))
  }

  /** The data of what was not ended. */
  end(): string[] {
    return this.#read(`${this.#utf8.decode()}\n\n`)
  }

  #read(chunk: string): string[] {
    if (chunk === '') return []
    // The second half of a line end that was cut in two.
    const text = this.#afterReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk
    this.#afterReturn = chunk.endsWith('\r')
    const events: string[] = []
    let start = 0
    for (const { index, 0: lineEnd } of text.matchAll(/\r\n|\n|\r/g)) {
      this.#add(text.slice(start, index))
      this.#endLine(events)
      start = index + lineEnd.length
    }
    this.#add(text.slice(start))
    return events
  }

  #add(piece: string): void {
    this.#length += piece.length
    if (this.#length > this.#maxEvent)
      throw new RangeError(`an event is longer than ${this.#maxEvent} characters`)
    this.#line.push(piece)
  }

  #endLine(events: string[]): void {
    const line = this.#line.join('')
    this.#line = []
    const [, field, value = ''] = /^(data|error)(?:: ?(.*))?$/s.exec(line) ?? []
    if (field === 'data') this.#data.push(value)
    if (field === 'error') this.#data.push(`{"error":${value}}`)
    if (line !== '') return
    if (this.#data.length > 0) events.push(this.#data.join('\n'))
    this.#data = []
    this.#length = 0
  }
}
