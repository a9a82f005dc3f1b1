import type { Tokenizer } from '../tokenizer/tokenizer.js'
import { TokenDisplay } from './display.js'
import { type OutputStream, palette, wantsColours } from './terminal.js'

const GUTTER = 9

/** Ids for people: tokens by their pieces, and the ids below; each control token starts a row, which begins with its place. */
export function tokenRows(tokenizer: Tokenizer, ids: readonly number[], stream: OutputStream): string[] {
  const paint = palette(wantsColours(stream))
  const display = new TokenDisplay(tokenizer, paint, GUTTER, stream.columns)
  const starts = ids.flatMap((id, i) => (i === 0 || display.isControl(id) ? [i] : []))
  return starts.flatMap((start, i) => {
    const own = ids.slice(start, starts[i + 1])
    return [
      ...display.row(paint.dim(String(start).padStart(GUTTER - 4)), display.tokens(own)),
      display.idRow(own),
    ]
  })
}
