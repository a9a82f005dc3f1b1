/** A fenced block in Markdown: where its text begins and ends. */
export interface Fence {
  readonly language: string
  readonly begin: number
  readonly end: number
}

const MARK = '```'

/**
 * The last fenced block of a text; `open` where the last fence has no end; undefined where there is none.
 *
 * Source of behaviour: `extract_code` in the demo of THUDM/ChatGLM3@b0b4e8ac.
 */
export function lastFence(text: string): Fence | 'open' | undefined {
  let last: Fence | undefined
  for (let at = text.indexOf(MARK); at >= 0; ) {
    const line = text.indexOf('\n', at)
    const end = line < 0 ? -1 : text.indexOf(MARK, line + 1)
    if (end < 0) return 'open'
    last = { language: text.slice(at + MARK.length, line).trim(), begin: line + 1, end }
    at = text.indexOf(MARK, end + MARK.length)
  }
  return last
}
