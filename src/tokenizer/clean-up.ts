/**
 * What `clean_up_tokenization_spaces` of transformers takes away: spaces before English punctuation and contractions.
 * One replacement runs over the whole text after the other.
 *
 * Source of behaviour: `PreTrainedTokenizerBase.clean_up_tokenization` of transformers 5.23.0.
 */
const RULES: readonly (readonly [found: string, replacement: string])[] = [
  ...['.', '?', '!', ','].map((mark) => [` ${mark}`, mark] as const),
  [" ' ", "'"],
  ...["n't", "'m", "'s", "'ve", "'re"].map((ending) => [` ${ending}`, ending] as const),
]

/** Where a match may begin, or may yet begin when more text comes. */
const BEGINNING = / (?:[.?!,']|n'|n?$)/

/** The text without spaces that a tokenizer of words left before punctuation. */
export function cleanUp(text: string): string {
  return RULES.reduce((text, [found, replacement]) => text.replaceAll(found, replacement), text)
}

/** {@link cleanUp} for a text that comes in pieces: what may yet be the beginning of a match is held back. */
export class CleanUpStream {
  readonly #held = RULES.map(() => '')
  #holds = false

  /** Takes a piece, and gives what no later piece can change. */
  push(text: string): string {
    if (!this.#holds && !BEGINNING.test(text)) return text
    const settled = this.#settle(text)
    this.#holds = this.#held.some((held) => held !== '')
    return settled
  }

  #settle(text: string): string {
    return RULES.reduce((text, [found, replacement], i) => {
      const all = (this.#held[i] as string) + text
      let settled = 0 // matches do not overlap, so the last one is found from the left
      for (let at = all.indexOf(found); at >= 0; at = all.indexOf(found, settled)) settled = at + found.length
      const end = all.length - beginningAtEnd(all.slice(settled), found)
      this.#held[i] = all.slice(end)
      return all.slice(0, end).replaceAll(found, replacement)
    }, text)
  }

  /** Gives what was held back. The stream is then as new. */
  end(): string {
    this.#holds = false
    return RULES.reduce((text, [found, replacement], i) => {
      const all = (this.#held[i] as string) + text
      this.#held[i] = ''
      return all.replaceAll(found, replacement)
    }, '')
  }
}

/** How long the longest end of a text is that a match may begin with. */
function beginningAtEnd(text: string, found: string): number {
  let length = Math.min(text.length, found.length - 1)
  while (length > 0 && !text.endsWith(found.slice(0, length))) length--
  return length
}
