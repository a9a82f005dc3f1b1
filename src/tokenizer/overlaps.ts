import type { LoadWarning, NamedToken } from '../load/load-warning.js'
import { quoted } from '../load/quoted.js'

/** An added token as it is looked for in text. */
export interface Spelling extends NamedToken {
  /** Looked for in normalized text, after all that are not. */
  readonly normalized: boolean
}

/** So many overlaps are told one by one. */
const MAX_LISTED = 20
/** Spellings are checked up to this length together, in UTF-16 units. Real models have up to 100,000. */
const MAX_UNITS = 2 ** 20
/** So many units of a spelling are looked at first. */
const MOST_FIRST = 3

/**
 * Pairs of a reserved token and an added token that is text, where it matters which is looked for first: the text token
 * begins before the reserved one ends and would win by leftmost-longest search, or is looked for in an earlier pass.
 * One for each text token, found in a time linear in all spellings.
 */
export function overlapWarnings(reserved: readonly Spelling[], texts: readonly Spelling[]): LoadWarning[] {
  const pairs = new Map<Spelling, Spelling>()
  const select = (spellings: readonly Spelling[], normalized: boolean): readonly Spelling[] =>
    spellings.filter((spelling) => spelling.normalized === normalized)
  const [raw, late] = [select(reserved, false), select(reserved, true)]
  const [early, lateTexts] = [select(texts, false), select(texts, true)]
  for (const [text, token] of findAll(raw, early)) note(text, token)
  for (const [text, token] of findAll(late, lateTexts)) note(text, token)
  // The reference finds all raw tokens first, so that any overlap hides a normalized one.
  for (const [text, token] of findAll(late, early)) note(text, token)
  for (const [token, text] of findAll(early, late)) note(text, token)
  const all = [...pairs]
  const listed = all.slice(0, MAX_LISTED).map(([text, token]) => overlap(token, text))
  if (all.length <= MAX_LISTED) return listed
  const count = all.length - MAX_LISTED
  const message = `${count} more added tokens that are text overlap reserved tokens`
  return [...listed, { code: 'MORE_OVERLAPS', count, message }]

  function note(text: Spelling, token: Spelling): void {
    if (!pairs.has(text)) pairs.set(text, token)
  }
}

/** Those of `others` in which one of `spellings` begins and either ends or goes on behind the end; and which. */
function findAll(spellings: readonly Spelling[], others: readonly Spelling[]): [Spelling, Spelling][] {
  if (spellings.length === 0 || others.length === 0) return []
  const meeting = spellings.filter(mayMeet(others))
  if (meeting.length === 0) return []
  const finder = new Finder(meeting)
  return others.flatMap((other): [Spelling, Spelling][] => {
    const found = finder.find(other)
    return found === undefined ? [] : [[other, found]]
  })
}

function overlap(token: Spelling, text: Spelling): LoadWarning {
  const message =
    `the added token ${quoted(text.name)} (id ${text.id}) is text and overlaps the reserved ${quoted(token.name)} ` +
    `(id ${token.id}): where both fit, the reference finds the text token, but in a prompt with data the reserved one is found`
  return {
    code: 'RESERVED_TEXT_OVERLAP',
    reserved: { id: token.id, name: token.name },
    text: { id: text.id, name: text.name },
    message,
  }
}

/**
 * Whether a spelling may begin in one of `others`: what is told by its first units keeps nearly all of a thousand
 * `<unused0>` out.
 */
function mayMeet(others: readonly Spelling[]): (spelling: Spelling) => boolean {
  const beginnings = new Set<string>()
  let units = 0
  for (const { name } of others) {
    units += name.length
    if (units > MAX_UNITS) return () => true
    for (let at = 0; at < name.length; at++) beginnings.add(name.slice(at, at + MOST_FIRST))
  }
  // Shorter ones may end inside of the others.
  return ({ name }) => {
    if (name.length < MOST_FIRST) return true
    for (let length = 1; length <= MOST_FIRST; length++) {
      if (beginnings.has(name.slice(0, length))) return true
    }
    return false
  }
}

/** Finds spellings inside of others and at their ends: the automaton of Aho and Corasick. */
class Finder {
  readonly #spellings: readonly Spelling[]
  /** State and UTF-16 unit to state, as one number. 0 is the root. */
  readonly #next = new Map<number, number>()
  readonly #depth = [0]
  /** The longest proper suffix of a state's text that is a state. */
  readonly #fallback = [0]
  /** A spelling that begins with the state's text. */
  readonly #through = [-1]
  /** A spelling that the state's text ends with, or -1. */
  readonly #ending = [-1]

  constructor(spellings: readonly Spelling[]) {
    this.#spellings = spellings
    const parents: [parent: number, unit: number][] = [[0, 0]]
    let units = 0
    for (const [index, { name }] of spellings.entries()) {
      units += name.length
      if (units > MAX_UNITS) break
      let state = 0
      for (let i = 0; i < name.length; i++) {
        const key = state * 0x10000 + name.charCodeAt(i)
        let next = this.#next.get(key)
        if (next === undefined) {
          next = this.#depth.length
          this.#next.set(key, next)
          this.#depth.push(i + 1)
          this.#fallback.push(0)
          this.#through.push(index)
          this.#ending.push(-1)
          parents.push([state, name.charCodeAt(i)])
        }
        state = next
      }
      this.#ending[state] = index
    }
    const byDepth = this.#depth.map((_, state) => state).sort((a, b) => this.#at(a) - this.#at(b))
    for (const state of byDepth) {
      const [parent, unit] = parents[state] as [number, number]
      if (this.#at(state) > 1) {
        this.#fallback[state] = this.#step(this.#fallback[parent] as number, unit)
      }
      if (this.#ending[state] === -1) {
        this.#ending[state] = this.#ending[this.#fallback[state] as number] as number
      }
    }
  }

  /** A spelling that occurs in another, or whose beginning is the other's end but not all of it. */
  find({ name }: Spelling): Spelling | undefined {
    let state = 0
    for (let i = 0; i < Math.min(name.length, MAX_UNITS); i++) {
      state = this.#step(state, name.charCodeAt(i))
      const ending = this.#ending[state] as number
      if (ending >= 0) return this.#spellings[ending]
    }
    if (this.#at(state) === name.length) state = this.#fallback[state] as number
    return this.#spellings[this.#through[state] as number]
  }

  #at(state: number): number {
    return this.#depth[state] as number
  }

  #step(state: number, unit: number): number {
    for (;;) {
      const next = this.#next.get(state * 0x10000 + unit)
      if (next !== undefined) return next
      if (state === 0) return 0
      state = this.#fallback[state] as number
    }
  }
}
