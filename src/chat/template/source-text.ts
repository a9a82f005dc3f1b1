import { TemplateError } from '../../errors.js'
import type { Position } from './ast.js'

/**
 * A template source as Jinja2 reads it: lines end in `\n`, and one line break at the very end is dropped. Offsets
 * count in `text`; positions, in the source as it was given.
 */
export class SourceText {
  readonly text: string
  /** Where each line begins, in `text` and as it was given. */
  readonly #starts: number[] = [0]
  readonly #given: number[] = [0]

  constructor(source: string) {
    const lines: string[] = []
    let begin = 0
    let start = 0
    for (const { 0: lineBreak, index } of source.matchAll(/\r\n|\r|\n/g)) {
      lines.push(source.slice(begin, index))
      start += index - begin + 1
      begin = index + lineBreak.length
      this.#starts.push(start)
      this.#given.push(begin)
    }
    if (begin < source.length) lines.push(source.slice(begin))
    this.text = lines.join('\n')
  }

  positionAt(offset: number): Position {
    let low = 0
    let high = this.#starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.#starts[middle] as number) <= offset) low = middle
      else high = middle
    }
    const column = offset - (this.#starts[low] as number)
    return { line: low + 1, column: column + 1, offset: (this.#given[low] as number) + column }
  }
}

/** What Jinja2 refuses to parse or compile. */
export function syntaxError({ line, column }: Position, reason: string): TemplateError {
  return new TemplateError('syntax', line, column, reason)
}
