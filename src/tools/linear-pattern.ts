// Regular expressions of JSON Schema (ECMA-262), searched in linear time: a pattern from outside may not take for ever.

/** So many instructions a pattern may have, with its repetitions written out. */
const MAX_PROGRAM = 10_000
const MAX_SOURCE = 10_000
/** Groups inside of each other. */
const MAX_DEPTH = 200

type Test = (char: string) => boolean

/** Nodes of a pattern. What one character is tested by is the engine's own: a class or an escape. */
type Node =
  | { readonly type: 'char'; readonly test: Test }
  | { readonly type: 'assert'; readonly holds: Assertion }
  | { readonly type: 'sequence' | 'choice'; readonly nodes: readonly Node[] }
  | { readonly type: 'repeat'; readonly node: Node; readonly least: number; readonly most: number }

/** Whether a place in the text, between two characters, is one of a kind. */
type Assertion = (before: string | undefined, behind: string | undefined) => boolean

type Instruction =
  | { readonly op: 'char'; readonly test: Test }
  | { readonly op: 'assert'; readonly holds: Assertion }
  | { readonly op: 'split'; first: number; second: number }
  | { readonly op: 'jump'; to: number }
  | { readonly op: 'match' }

/** How many steps a search may still take. */
export interface StepBudget {
  left: number
}

/** A pattern whose search takes no more than its size times the text's. */
export class LinearPattern {
  readonly #program: readonly Instruction[]
  readonly #unicode: boolean

  private constructor(program: readonly Instruction[], unicode: boolean) {
    this.#program = program
    this.#unicode = unicode
  }

  /**
   * @returns undefined for what is no pattern, and for one that cannot be searched so: with a reference to a group, a look
   *   ahead or behind, or thousands of repetitions
   * @example LinearPattern.compile('^[a-z]+$')?.test('word', { left: 1e6 })  // true
   */
  static compile(source: string): LinearPattern | undefined {
    if (source.length > MAX_SOURCE) return undefined
    // JSON Schema wants `u`; many patterns with needless escapes are none there.
    const unicode = isPattern(source, 'u')
    if (!unicode && !isPattern(source, '')) return undefined
    try {
      const program: Instruction[] = []
      write(new PatternParser(source, unicode).parse(), program)
      push(program, { op: 'match' })
      return new LinearPattern(program, unicode)
    } catch (error) {
      if (error instanceof NotLinear) return undefined
      throw error
    }
  }

  /** Whether it is found anywhere in a text; undefined when the budget does not suffice. */
  test(text: string, budget: StepBudget): boolean | undefined {
    const program = this.#program
    budget.left -= Math.ceil(program.length / 10) // for the table below
    const chars = this.#unicode ? Array.from(text) : text.split('')
    /** At which place an instruction was reached last. */
    const reached = new Int32Array(program.length).fill(-1)
    let waiting: number[] = []
    for (let at = 0; at <= chars.length; at++) {
      const [before, behind] = [chars[at - 1], chars[at]]
      const open = [...waiting, 0] // it may begin at every place
      const next: number[] = []
      while (open.length > 0) {
        if (budget.left-- <= 0) return undefined
        const index = open.pop() as number
        if (reached[index] === at) continue
        reached[index] = at
        const instruction = program[index] as Instruction
        if (instruction.op === 'match') return true
        if (instruction.op === 'jump') open.push(instruction.to)
        else if (instruction.op === 'split') open.push(instruction.second, instruction.first)
        else if (instruction.op === 'assert') {
          if (instruction.holds(before, behind)) open.push(index + 1)
        } else if (behind !== undefined && instruction.test(behind)) next.push(index + 1)
      }
      waiting = next
    }
    return false
  }
}

class NotLinear extends Error {}

function isPattern(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags) instanceof RegExp
  } catch {
    return false
  }
}

const isWord = (char: string | undefined): boolean => char !== undefined && /^\w$/.test(char)

const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  '^': (before) => before === undefined,
  $: (_, behind) => behind === undefined,
  '\\b': (before, behind) => isWord(before) !== isWord(behind),
  '\\B': (before, behind) => isWord(before) === isWord(behind),
}

/** What stands for one character: a class, an escape, or the character itself. */
const CLASS = /\[(?:\\[\s\S]|[^\]\\])*\]/y
const ESCAPE =
  /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|[pP]\{[^}]*\}|[\s\S])/y
const QUANTIFIER = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/y
const GROUP = /\((?:\?:|\?<[^=!][^>]*>|(?!\?))/y

/** Parses what `RegExp` has taken. */
class PatternParser {
  readonly #source: string
  readonly #unicode: boolean
  #at = 0
  #depth = 0

  constructor(source: string, unicode: boolean) {
    this.#source = source
    this.#unicode = unicode
  }

  parse(): Node {
    const choices: Node[] = []
    if (++this.#depth > MAX_DEPTH) throw new NotLinear()
    do {
      const nodes: Node[] = []
      while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at] as string)) {
        nodes.push(this.#quantified(this.#term()))
      }
      choices.push({ type: 'sequence', nodes })
    } while (this.#source[this.#at] === '|' && this.#at++ >= 0)
    this.#depth--
    return choices.length === 1 ? (choices[0] as Node) : { type: 'choice', nodes: choices }
  }

  #term(): Node {
    const source = this.#source
    const char = source[this.#at] as string
    if (char === '(') {
      if (this.#take(GROUP) === undefined) throw new NotLinear() // looks ahead or behind, or sets flags
      const node = this.parse()
      this.#at++
      return node
    }
    const atom =
      (char === '[' ? this.#take(CLASS) : char === '\\' ? this.#take(ESCAPE) : undefined) ?? this.#character()
    const holds = Object.hasOwn(ASSERTIONS, atom) ? ASSERTIONS[atom] : undefined
    if (holds) return { type: 'assert', holds }
    // References to groups; and what means something else without `u`.
    if (/^\\[1-9k]/.test(atom) || (!this.#unicode && /^\\(?:[pP]|u\{|0)/.test(atom))) throw new NotLinear()
    if (atom.length === 1 && atom !== '.') return { type: 'char', test: (each) => each === atom }
    const one = new RegExp(`^${/^[^\\[.]/.test(atom) ? atom : `(?:${atom})`}$`, this.#unicode ? 'u' : '')
    return { type: 'char', test: (each) => one.test(each) }
  }

  #character(): string {
    const code = this.#source.codePointAt(this.#at) as number
    const char = this.#unicode ? String.fromCodePoint(code) : (this.#source[this.#at] as string)
    this.#at += char.length
    return char
  }

  #quantified(node: Node): Node {
    const at = this.#at
    const text = this.#take(QUANTIFIER)
    if (text === undefined) return node
    QUANTIFIER.lastIndex = at
    const [, least, comma, most] = QUANTIFIER.exec(this.#source) as RegExpExecArray
    const unlimited = Number.POSITIVE_INFINITY
    if (text[0] === '*') return { type: 'repeat', node, least: 0, most: unlimited }
    if (text[0] === '+') return { type: 'repeat', node, least: 1, most: unlimited }
    if (text[0] === '?') return { type: 'repeat', node, least: 0, most: 1 }
    const upTo = comma === undefined ? Number(least) : most === '' ? unlimited : Number(most)
    return { type: 'repeat', node, least: Number(least), most: upTo }
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#source)?.[0]
    this.#at += found?.length ?? 0
    return found
  }
}

function push(program: Instruction[], instruction: Instruction): number {
  if (program.length >= MAX_PROGRAM) throw new NotLinear()
  return program.push(instruction) - 1
}

function write(node: Node, program: Instruction[]): void {
  switch (node.type) {
    case 'char':
      push(program, { op: 'char', test: node.test })
      return
    case 'assert':
      push(program, { op: 'assert', holds: node.holds })
      return
    case 'sequence':
      for (const each of node.nodes) write(each, program)
      return
    case 'choice': {
      const ends: { op: 'jump'; to: number }[] = []
      node.nodes.forEach((each, i) => {
        if (i === node.nodes.length - 1) {
          write(each, program)
          return
        }
        const split = { op: 'split' as const, first: program.length + 1, second: 0 }
        push(program, split)
        write(each, program)
        const end = { op: 'jump' as const, to: 0 }
        push(program, end)
        ends.push(end)
        split.second = program.length
      })
      for (const end of ends) end.to = program.length
      return
    }
    case 'repeat':
      writeRepeat(node, program)
  }
}

function writeRepeat({ node, least, most }: Extract<Node, { type: 'repeat' }>, program: Instruction[]): void {
  // What writes nothing could be repeated for ever.
  const before = program.length
  for (let i = 0; i < least; i++) {
    write(node, program)
    if (program.length === before) return
  }
  if (most === Number.POSITIVE_INFINITY) {
    const split = { op: 'split' as const, first: program.length + 1, second: 0 }
    const begin = push(program, split)
    write(node, program)
    push(program, { op: 'jump', to: begin })
    split.second = program.length
    return
  }
  const splits: { op: 'split'; first: number; second: number }[] = []
  for (let i = least; i < most; i++) {
    const split = { op: 'split' as const, first: program.length + 1, second: 0 }
    push(program, split)
    splits.push(split)
    write(node, program)
  }
  for (const split of splits) split.second = program.length
}
