/** What is used of `process.stdout`, so that tests can pass something smaller. */
export interface OutputStream {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

/** Text in the colour of its meaning; without colours each gives the text back. */
export type Palette = Readonly<
  Record<'control' | 'text' | 'bad' | 'good' | 'dim' | 'bold', (text: string) => string>
>

/**
 * Whether to colour what goes to a stream: on a terminal, unless `NO_COLOR` or a dumb terminal speaks against it.
 * `FORCE_COLOR` has the last word, as in Node itself.
 */
export function wantsColours(stream: OutputStream, env: NodeJS.ProcessEnv = process.env): boolean {
  const { FORCE_COLOR, NO_COLOR, TERM } = env
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  return stream.isTTY === true && !NO_COLOR && TERM !== 'dumb'
}

/**
 * Plain ANSI instead of `util.styleText`, which Node 20.0 lacks, and which from Node 22.13 on asks the environment
 * and `process.stdout`, not the stream that is written to.
 */
export function palette(colours: boolean): Palette {
  const style =
    (on: string, off: number) =>
    (text: string): string =>
      colours && text !== '' ? `\x1b[${on}m${text}\x1b[${off}m` : text
  return {
    control: style('36', 39),
    text: (text) => text, // the terminal's own colour
    bad: style('31', 39),
    good: style('32', 39),
    dim: style('2', 22),
    bold: style('1', 22),
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with the control character ESC
const ANSI = /\x1b\[[\d;]*m/g
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u
/** The blocks that East Asian Width calls W or F, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\p{Emoji_Presentation}\u{20000}-\u{3fffd}]/u

/** How many columns a text takes on a terminal: colours take none, East Asian wide characters two. */
export function visibleWidth(text: string): number {
  let width = 0
  for (const character of text.replace(ANSI, '')) {
    if (WIDE.test(character)) width += 2
    else if (!NO_WIDTH.test(character)) width += 1
  }
  return width
}

/** Fills up with spaces to a visible width. */
export function padVisible(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - visibleWidth(text)))
}

/**
 * Sets tokens, which may be coloured, one space apart into lines of at most `width` columns. A token is never
 * broken: one that is wider than that has a line of its own.
 */
export function wrapTokens(tokens: readonly string[], width: number): string[] {
  const lines: string[] = []
  let line = ''
  let used = 0
  for (const token of tokens) {
    const tokenWidth = visibleWidth(token)
    if (used > 0 && used + 1 + tokenWidth > width) {
      lines.push(line)
      line = ''
      used = 0
    }
    line += used > 0 ? ` ${token}` : token
    used += (used > 0 ? 1 : 0) + tokenWidth
  }
  return used > 0 ? [...lines, line] : lines
}

/**
 * Makes text harmless to print: control and invisible characters, which could drive the terminal or reorder a
 * line, become escapes.
 */
export function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => {
    const short = SHORT_ESCAPES.get(character)
    const code = character.codePointAt(0) ?? 0
    return short ?? (code < 0x100 ? `\\x${hex(code, 2)}` : `\\u{${hex(code, 4)}}`)
  })
}

/**
 * Text of several lines, made harmless to a terminal: control characters other than line ends and tabs become
 * escapes. Unlike `printable` it leaves alone what a reader wants to see as it is, such as joined emoji.
 */
export function terminalText(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, printable)
}

const SHORT_ESCAPES = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0')
