import type { Tokenizer } from '../tokenizer/tokenizer.js'
import { type Palette, padVisible, printable, wrapTokens } from './terminal.js'

/** Columns that the ends of lines of ids leave free: they say how many more there are. */
const MORE = 12
/** Width of a stream that has no columns. */
const DEFAULT_WIDTH = 96

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Draws token ids for people, in rows with a title at the left. Nothing it draws can drive the terminal. */
export class TokenDisplay {
  readonly #tokenizer: Tokenizer
  readonly #paint: Palette
  readonly #gutter: number
  readonly #width: number
  readonly #reserved: ReadonlyMap<number, string>

  /**
   * @param gutter columns of the titles
   * @param columns of the terminal, if it is one; what is drawn is between 60 and 100 columns wide
   */
  constructor(tokenizer: Tokenizer, paint: Palette, gutter: number, columns: number = DEFAULT_WIDTH) {
    this.#tokenizer = tokenizer
    this.#paint = paint
    this.#gutter = gutter
    this.#width = Math.min(Math.max(columns, 60), 100) - gutter
    this.#reserved = new Map(tokenizer.reserved.map(({ id, name }) => [id, name]))
  }

  /** Whether an id is reserved. */
  isControl(id: number): boolean {
    return this.#reserved.has(id)
  }

  /**
   * Tokens as their pieces, control tokens by name; the bytes of one character as that character.
   *
   * @param control paints the control token at an index
   */
  tokens(
    ids: readonly number[],
    control: (name: string, index: number) => string = this.#paint.control,
  ): string[] {
    const tokens: string[] = []
    for (let i = 0; i < ids.length; ) {
      const id = ids[i] ?? 0
      const name = this.#reserved.get(id)
      const bytes = name === undefined ? this.#characterBytes(ids, i) : []
      if (name !== undefined) tokens.push(control(printable(name), i))
      else if (bytes.length > 0) tokens.push(this.#paint.text(printable(utf8.decode(Uint8Array.from(bytes)))))
      else tokens.push(this.#paint.text(printable(this.#tokenizer.idToToken(id) ?? `?${id}?`)))
      i += Math.max(bytes.length, 1)
    }
    return tokens
  }

  /** A row of words or tokens, in as many lines as they need. */
  row(title: string, words: readonly string[]): string[] {
    const [first = '', ...more] = wrapTokens(words, this.#width)
    return [padVisible(`  ${title}`, this.#gutter) + first, ...more.map((line) => this.#indented(line))]
  }

  /** One line of as many ids as fit. */
  idRow(ids: readonly number[]): string {
    const [line = '', ...more] = wrapTokens(ids.map(String), this.#width - MORE)
    const rest = ids.length - line.split(' ').length
    return this.#indented(this.#paint.dim(more.length === 0 ? line : `${line} … ${rest} more`))
  }

  #indented(line: string): string {
    return padVisible('', this.#gutter) + line
  }

  /** The bytes from here on that make up one character; none when they make none. */
  #characterBytes(ids: readonly number[], start: number): number[] {
    const bytes: number[] = []
    for (const id of ids.slice(start, start + 4)) {
      const byte = this.#byte(id)
      if (byte === undefined) return []
      bytes.push(byte)
      if (!utf8.decode(Uint8Array.from(bytes)).includes('\ufffd')) return bytes
    }
    return []
  }

  /** The byte that a byte piece stands for. A text piece of that spelling decodes to its spelling. */
  #byte(id: number): number | undefined {
    const piece = this.#tokenizer.idToToken(id) ?? ''
    const byte = /^<(0x[0-9A-F]{2})>$/.exec(piece)?.[1]
    return byte === undefined || this.#tokenizer.decode([id]) === piece ? undefined : Number(byte)
  }
}
