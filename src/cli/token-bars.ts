import { type Palette, padVisible, printable, visibleWidth } from './terminal.js'

/** A number of tokens with what they are. */
export interface TokenBar {
  readonly label: string
  readonly tokens: number
  /** How the bar is painted. Default `text`. */
  readonly style?: keyof Palette | undefined
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']
const MIN_WIDTH = 10
const MAX_LABEL = 40

/**
 * A line for each number: what it is, a bar, the number, and its share.
 *
 * @param whole what a bar of full length stands for, in tokens
 * @param columns of the terminal
 */
export function tokenBars(
  bars: readonly TokenBar[],
  whole: number,
  columns: number,
  paint: Palette,
): string[] {
  const labels = bars.map(({ label }) => shortened(printable(label)))
  const labelWidth = Math.max(0, ...labels.map(visibleWidth))
  const numbers = bars.map(({ tokens }) => String(tokens))
  const numberWidth = Math.max(0, ...numbers.map(({ length }) => length))
  const width = Math.max(MIN_WIDTH, columns - labelWidth - numberWidth - '   100 %'.length)
  return bars.map(({ tokens, style = 'text' }, i) => {
    const share = whole > 0 ? Math.min(1, tokens / whole) : 0
    const bar = padVisible(paint[style](drawn(share, width)), width)
    const number = (numbers[i] as string).padStart(numberWidth)
    const percent = `${Math.round(share * 100)} %`.padStart(5)
    return `${padVisible(labels[i] as string, labelWidth)} ${bar} ${number} ${paint.dim(percent)}`
  })
}

/** A bar as long as its share of a width, in eighths of a column; whatever is not nothing can be seen. */
function drawn(share: number, width: number): string {
  const eighths = share > 0 ? Math.max(1, Math.round(share * width * 8)) : 0
  return '█'.repeat(eighths >> 3) + (EIGHTHS[eighths & 7] as string)
}

function shortened(label: string): string {
  return visibleWidth(label) <= MAX_LABEL ? label : `${label.slice(0, MAX_LABEL - 1)}…`
}
