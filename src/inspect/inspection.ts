// A prompt as it can be looked at: tokens with their text and provenance, by message, ours beside the usual path.

import type { ChatMessage } from '../chat/messages.js'
import type { EncodeChatOptions, PromptMaker } from '../chat/prompt-maker.js'
import { type Prompt, PromptWriter, promptText, sourcePath } from '../chat/prompt-writer.js'
import { tokenParts } from '../chat/token-spans.js'
import { PartKind, trusted } from '../prompt/parts.js'
import type { Tokenizer } from '../tokenizer/tokenizer.js'

/** One box: a token, or several that make up one character together. */
export interface TokenBox {
  readonly ids: readonly number[]
  /** What stands there; the name of a control token. */
  readonly text: string
  /** `control`: a reserved id; `trusted`: text of the format; `data`: text of the request. */
  readonly kind: 'control' | 'trusted' | 'data'
  /** Where in the request it comes from, such as `messages[2].content`. */
  readonly path: string | undefined
  /** A control token that data spell: nobody has placed it. */
  readonly forged: boolean
}

/** What one way makes of a section. */
export interface TokenList {
  readonly boxes: readonly TokenBox[]
  /** Tokens, of which a box may have several. */
  readonly count: number
}

/** A message, or what follows the last one. */
export interface Section {
  readonly title: string
  readonly ours: TokenList
  /** Undefined where its ids are the same. */
  readonly usual: TokenList | undefined
}

export interface Inspection {
  readonly sections: readonly Section[]
  readonly counts: { readonly ours: number; readonly usual: number }
  /** Control tokens on the usual path that data spell. */
  readonly forged: number
  /** Places in the request, in order of appearance. */
  readonly paths: readonly string[]
  readonly warnings: readonly string[]
}

/**
 * A conversation. The usual path is the same prompt as one string in which all special tokens are found: by the encode
 * rule, text without data is one call of the reference.
 *
 * @throws as `Chat.encode`
 */
export function inspectChat(
  tokenizer: Tokenizer,
  prompts: PromptMaker,
  messages: readonly ChatMessage[],
  options: EncodeChatOptions,
): Inspection {
  const { prompt, warnings } = prompts.prompt(messages, options)
  const titles = messages.map(({ role }, i) => `${i}: ${String(role)}`)
  return inspectPrompt(
    tokenizer,
    prompt,
    titles,
    warnings.map(({ message, line }) =>
      line === undefined ? message : `${message} (template line ${line})`,
    ),
  )
}

/** A text, which is data. */
export function inspectText(tokenizer: Tokenizer, text: string): Inspection {
  const writer = new PromptWriter((name) => tokenizer.getCommand(name))
  return inspectPrompt(tokenizer, writer.data(text, 'text').finish(), [], [])
}

/** A token with its place in the prompt as one string. */
interface Placed {
  readonly id: number
  readonly begin: number
  readonly end: number
}

/** A part of the prompt in that string. */
interface Stretch {
  readonly begin: number
  readonly end: number
  readonly kind: 'control' | 'trusted' | 'data'
  readonly path: string | undefined
}

function inspectPrompt(
  tokenizer: Tokenizer,
  prompt: Prompt,
  titles: readonly string[],
  warnings: readonly string[],
): Inspection {
  const text = promptText(prompt, (id) => tokenizer.controlName(id))
  const stretches = stretchesOf(prompt, tokenizer)
  const ours = placedTokens(tokenizer, prompt, stretches)
  const usual = usualTokens(tokenizer, text)
  const borders = sectionBorders(ours, stretches, tokenizer, text.length)
  const boxes = new BoxMaker(tokenizer, text, stretches)
  const [ourSections, usualSections] = [ours, usual].map((tokens) => parted(tokens, borders)) as [
    Placed[][],
    Placed[][],
  ]
  const sections = borders.map(({ message }, i): Section => {
    const mine = ourSections[i] ?? []
    const theirs = usualSections[i] ?? []
    const same = String(mine.map(({ id }) => id)) === String(theirs.map(({ id }) => id))
    const list = (tokens: readonly Placed[]): TokenList => ({
      boxes: boxes.make(tokens),
      count: tokens.length,
    })
    const title =
      message === undefined ? (titles.length === 0 ? 'text' : 'end of the prompt') : titles[message]
    return { title: title ?? '', ours: list(mine), usual: same ? undefined : list(theirs) }
  })
  const forged = sections.flatMap(({ usual }) => usual?.boxes ?? []).filter((box) => box.forged).length
  const paths = [...new Set(stretches.flatMap(({ path }) => (path === undefined ? [] : [path])))]
  return { sections, counts: { ours: ours.length, usual: usual.length }, forged, paths, warnings }
}

function stretchesOf({ parts, sources }: Prompt, tokenizer: Tokenizer): Stretch[] {
  const stretches: Stretch[] = []
  let at = 0
  sources.forEach((source, i) => {
    const kind = parts[2 * i]
    const value = parts[2 * i + 1] as number
    const length =
      kind === PartKind.control ? tokenizer.controlName(value).length : kind === PartKind.cut ? 0 : value
    const name = kind === PartKind.control ? 'control' : kind === PartKind.data ? 'data' : 'trusted'
    stretches.push({ begin: at, end: at + length, kind: name, path: sourcePath(source) })
    at += length
  })
  return stretches
}

/** Offsets are those of `prompt.text`, which lacks control tokens that are placed by name. */
function placedTokens(tokenizer: Tokenizer, prompt: Prompt, stretches: readonly Stretch[]): Placed[] {
  const ids = tokenizer.encodePacked(prompt)
  const offsets = tokenizer.packedOffsets(prompt)
  const owners = tokenParts(prompt, ids, offsets)
  const textBegins: number[] = []
  let at = 0
  prompt.sources.forEach((_, i) => {
    textBegins.push(at)
    const kind = prompt.parts[2 * i]
    if (kind === PartKind.trusted || kind === PartKind.data) at += prompt.parts[2 * i + 1] as number
  })
  return Array.from(ids, (id, i) => {
    const owner = owners[i] as number
    const stretch = stretches[owner] as Stretch
    if (stretch.kind === 'control') return { id, begin: stretch.begin, end: stretch.end }
    const from = offsets[2 * i] as number
    const begin = stretch.begin + from - (textBegins[owner] as number)
    return { id, begin, end: begin + (offsets[2 * i + 1] as number) - from }
  })
}

function usualTokens(tokenizer: Tokenizer, text: string): Placed[] {
  const { ids, offsets } = tokenizer.encode(trusted(text), { offsets: true })
  return Array.from(ids, (id, i) => {
    return { id, begin: offsets[2 * i] as number, end: offsets[2 * i + 1] as number }
  })
}

interface Border {
  /** Where the section begins in the string. */
  readonly begin: number
  /** Index of the message; undefined for what belongs to none. */
  readonly message: number | undefined
}

/**
 * Where messages begin: of the control tokens between the texts of two, the first closes a turn where there are several,
 * and the next opens one. Where there are none, a message begins with what the format writes before it.
 */
function sectionBorders(
  tokens: readonly Placed[],
  stretches: readonly Stretch[],
  tokenizer: Tokenizer,
  length: number,
): Border[] {
  const texts = messageTexts(stretches)
  const borders: Border[] = []
  let controls = 0
  const reserved = tokens.filter(({ id }) => tokenizer.isReserved(id))
  texts.forEach(({ message, begin }, i) => {
    const last = texts[i - 1]
    if (last === undefined) borders.push({ begin: 0, message })
    else borders.push({ begin: opening(last.end, begin), message })
  })
  const last = texts.at(-1)
  if (last === undefined) return [{ begin: 0, message: undefined }]
  const end = opening(last.end, length)
  if (end < length) borders.push({ begin: end, message: undefined })
  return borders

  function opening(from: number, to: number): number {
    while ((reserved[controls]?.begin ?? length) < from) controls++
    const between: number[] = []
    for (let i = controls; (reserved[i]?.begin ?? length) < to; i++) between.push(reserved[i]?.begin ?? 0)
    return between[1] ?? between[0] ?? from
  }
}

/** The range of the text of each message that is written. */
function messageTexts(stretches: readonly Stretch[]): { message: number; begin: number; end: number }[] {
  const found: { message: number; begin: number; end: number }[] = []
  for (const { path, begin, end } of stretches) {
    const index = /^messages\[(\d+)\]/.exec(path ?? '')?.[1]
    if (index === undefined) continue
    const last = found.at(-1)
    if (last?.message === Number(index)) last.end = end
    else found.push({ message: Number(index), begin, end })
  }
  return found
}

/** The tokens of each section: those that begin in it. */
function parted(tokens: readonly Placed[], borders: readonly Border[]): Placed[][] {
  const sections: Placed[][] = borders.map(() => [])
  let section = 0
  for (const token of tokens) {
    while (section + 1 < borders.length && token.begin >= (borders[section + 1]?.begin ?? 0)) section++
    sections[section]?.push(token)
  }
  return sections
}

class BoxMaker {
  readonly #tokenizer: Tokenizer
  readonly #text: string
  readonly #stretches: readonly Stretch[]

  constructor(tokenizer: Tokenizer, text: string, stretches: readonly Stretch[]) {
    this.#tokenizer = tokenizer
    this.#text = text
    this.#stretches = stretches
  }

  make(tokens: readonly Placed[]): TokenBox[] {
    const boxes: TokenBox[] = []
    for (let i = 0; i < tokens.length; ) {
      const group = this.#group(tokens, i)
      i += group.length
      boxes.push(this.#box(group, tokens[i]?.begin ?? this.#text.length))
    }
    return boxes
  }

  /** Tokens that hold bytes of the same characters, and so overlap. */
  #group(tokens: readonly Placed[], start: number): Placed[] {
    const first = tokens[start] as Placed
    const group = [first]
    if (this.#tokenizer.isReserved(first.id)) return group
    let { end } = first
    for (let i = start + 1; i < tokens.length; i++) {
      const token = tokens[i] as Placed
      if (token.begin >= end || this.#tokenizer.isReserved(token.id)) break
      group.push(token)
      end = Math.max(end, token.end)
    }
    return group
  }

  /** @param next where the next box begins */
  #box(group: readonly Placed[], next: number): TokenBox {
    const [first] = group as [Placed]
    const covered = Math.max(...group.map((token) => token.end))
    // Where a normalizer composes a letter with its marks, the reference counts the letter alone.
    const marks = covered < next ? (/^\p{M}*/u.exec(this.#text.slice(covered, next))?.[0].length ?? 0) : 0
    const end = covered + marks
    const ids = group.map(({ id }) => id)
    const owner = this.#at(first.begin)
    const path = owner?.path
    if (this.#tokenizer.isReserved(first.id)) {
      const forged = this.#ofData(first.begin, end)
      const name = this.#tokenizer.controlName(first.id)
      return { ids, text: name, kind: 'control', path: forged ? path : undefined, forged }
    }
    // What stands for no character is a piece of its own, such as a dummy prefix.
    const text = this.#text.slice(first.begin, end) || (this.#tokenizer.idToToken(first.id) ?? '')
    return { ids, text, kind: owner?.kind === 'data' ? 'data' : 'trusted', path, forged: false }
  }

  /** The stretch that a place lies in: the last one that begins there or before and is not empty. */
  #at(place: number): Stretch | undefined {
    let low = 0
    let high = this.#stretches.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#stretches[middle]?.begin ?? 0) <= place) low = middle
      else high = middle - 1
    }
    while (low > 0 && this.#stretches[low]?.begin === this.#stretches[low]?.end) low--
    return this.#stretches[low]
  }

  /** Whether a range holds data that are no white space. */
  #ofData(begin: number, end: number): boolean {
    for (let at = begin; at < end; ) {
      const stretch = this.#at(at)
      if (stretch === undefined) return false
      const until = Math.max(at + 1, Math.min(end, stretch.end))
      if (stretch.kind === 'data' && this.#text.slice(at, until).trim() !== '') return true
      at = until
    }
    return false
  }
}
