// The form of a compiled split pattern, and what writes it. native/core/split_pattern.hpp reads the same.

const MAGIC = 0x53505431
const MAX_INSTRUCTIONS = 1 << 15
const MAX_CLASSES = 1024
const MAX_BRANCHES = 64

/** For the greatest count of a loop: none. */
export const NO_LIMIT = 0xffffffff

const ClassOp = {
  RANGE: 0,
  CATEGORIES: 1,
  SCRIPT: 2,
  BINARY: 3,
  NEGATE: 4,
  UNION: 5,
  INTERSECT: 6,
  FOLD: 7,
} as const

const Op = {
  MATCH: 0,
  LITERAL: 1,
  CLASS: 2,
  CLASS_BACK: 3,
  LOOP: 4,
  ALT: 5,
  JUMP: 6,
  ASSERT: 7,
  LOOK: 8,
  ATOMIC: 9,
  SUB_END: 10,
  MARK: 11,
  CHECK: 12,
  SAVE: 13,
  BACKREF: 14,
} as const

/** `LINE_START` is Oniguruma's `^`, which does not hold at the end of a text. */
export const Assertion = {
  LINE_START: 0,
  LINE_END: 1,
  TEXT_START: 2,
  TEXT_END: 3,
  TEXT_END_NEWLINE: 4,
  SEARCH_START: 5,
  WORD_BORDER: 6,
  NO_WORD_BORDER: 7,
} as const

/** A set of code points, as a postfix expression of the native core. */
export type ClassExpression = readonly number[]

export const range = (first: number, last: number): ClassExpression => [ClassOp.RANGE, first, last]
export const characters = (...list: number[]): ClassExpression => union(list.map((c) => range(c, c)))
export const categories = (mask: number): ClassExpression => [ClassOp.CATEGORIES, mask >>> 0]
export const script = (number: number): ClassExpression => [ClassOp.SCRIPT, number]
export const binary = (number: number): ClassExpression => [ClassOp.BINARY, number]
export const negate = (set: ClassExpression): ClassExpression => [...set, ClassOp.NEGATE]
export const fold = (set: ClassExpression): ClassExpression => [...set, ClassOp.FOLD]
export const union = (sets: readonly ClassExpression[]): ClassExpression =>
  sets.length === 0 ? categories(0) : joined(sets, ClassOp.UNION)
export const intersection = (sets: readonly ClassExpression[]): ClassExpression =>
  sets.length === 0 ? negate(categories(0)) : joined(sets, ClassOp.INTERSECT)

function joined(sets: readonly ClassExpression[], op: number): ClassExpression {
  return sets.flatMap((set, i) => (i === 0 ? set : [...set, op]))
}

/** A place in the program that jumps lead to, before or after it is known. */
export class Label {
  at = -1
}

/** The pattern is larger than the native core allows. */
export class ProgramTooLargeError extends Error {}

const MAX_LITERAL = 256

/** The program that finds a text; undefined for an empty one, a long one and one with a lone surrogate. */
export function literalProgram(text: string): Uint32Array | undefined {
  if (text === '' || text.length > MAX_LITERAL || /[\ud800-\udfff]/u.test(text)) return undefined
  const writer = new ProgramWriter()
  writer.literal(Array.from(text, (character) => character.codePointAt(0) as number))
  writer.match()
  return writer.finish(0)
}

export class ProgramWriter {
  readonly #code: (number | Label)[][] = []
  readonly #classes = new Map<string, number>()
  readonly #classWords: number[][] = []
  #registers = 0

  place(label: Label): void {
    label.at = this.#code.length
  }
  match(): void {
    this.#emit(Op.MATCH)
  }
  literal(codePoints: readonly number[]): void {
    this.#emit(Op.LITERAL, codePoints.length, ...codePoints)
  }
  class(set: ClassExpression, backward: boolean): void {
    this.#emit(backward ? Op.CLASS_BACK : Op.CLASS, this.#classNumber(set))
  }
  /** As many characters of the class as there are, given back one by one unless `possessive`. */
  loop(set: ClassExpression, min: number, max: number, possessive: boolean): void {
    this.#emit(Op.LOOP, this.#classNumber(set), min, max, possessive ? 1 : 0)
  }
  /** The first of the targets that leads to a match. */
  alternatives(targets: readonly Label[]): void {
    let rest = targets
    while (rest.length > MAX_BRANCHES) {
      const more = new Label()
      this.#emit(Op.ALT, MAX_BRANCHES, ...rest.slice(0, MAX_BRANCHES - 1), more)
      this.place(more)
      rest = rest.slice(MAX_BRANCHES - 1)
    }
    this.#emit(Op.ALT, rest.length, ...rest)
  }
  jump(target: Label): void {
    this.#emit(Op.JUMP, target)
  }
  assert(kind: number, words?: ClassExpression): void {
    this.#emit(Op.ASSERT, kind, words ? this.#classNumber(words) : 0)
  }
  look(negated: boolean, body: () => void): void {
    this.#body([Op.LOOK, negated ? 1 : 0], body)
  }
  atomic(body: () => void): void {
    this.#body([Op.ATOMIC], body)
  }
  /** A register for `mark` and `check`, which end a loop whose iteration was empty. */
  newRegister(): number {
    return this.#registers++
  }
  mark(register: number): void {
    this.#emit(Op.MARK, register)
  }
  check(register: number, ifEmpty: Label): void {
    this.#emit(Op.CHECK, register, ifEmpty)
  }
  save(slot: number): void {
    this.#emit(Op.SAVE, slot)
  }
  backreference(group: number): void {
    this.#emit(Op.BACKREF, group)
  }

  finish(groups: number): Uint32Array {
    const words = [MAGIC, this.#classWords.length, this.#registers, groups]
    for (const set of this.#classWords) {
      words.push(set.length)
      for (const word of set) words.push(word)
    }
    for (const instruction of this.#code) {
      for (const word of instruction) words.push(word instanceof Label ? word.at : word)
    }
    return Uint32Array.from(words)
  }

  #body(head: number[], body: () => void): void {
    const after = new Label()
    this.#emit(...head, after)
    body()
    this.#emit(Op.SUB_END)
    this.place(after)
  }
  #emit(...words: (number | Label)[]): void {
    if (this.#code.length >= MAX_INSTRUCTIONS) {
      throw new ProgramTooLargeError(`it needs more than ${MAX_INSTRUCTIONS} instructions`)
    }
    this.#code.push(words)
  }
  #classNumber(set: ClassExpression): number {
    const key = set.join()
    const known = this.#classes.get(key)
    if (known !== undefined) return known
    if (this.#classWords.length >= MAX_CLASSES) {
      throw new ProgramTooLargeError(`it needs more than ${MAX_CLASSES} character classes`)
    }
    this.#classes.set(key, this.#classWords.length)
    this.#classWords.push([...set])
    return this.#classWords.length - 1
  }
}
