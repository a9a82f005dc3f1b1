// Compiles the regular expressions of tokenizer files for the matcher in native/core/split_pattern.hpp.
import { toOnigurumaAst } from 'oniguruma-parser'
import type {
  AlternativeElementNode,
  AlternativeNode,
  CharacterClassElementNode,
  CharacterClassNode,
  CharacterSetNode,
  GroupNode,
  OnigurumaAst,
  QuantifierNode,
} from 'oniguruma-parser/parser'
import { TokenizerFileError, UnsupportedTokenizerError } from '../../errors.js'
import {
  Assertion,
  type ClassExpression,
  characters,
  fold,
  intersection,
  Label,
  NO_LIMIT,
  negate,
  ProgramTooLargeError,
  ProgramWriter,
  range,
  union,
} from './program.js'
import { translateRust } from './rust-syntax.js'
import { MULTI_FOLDS } from './unicode-names.js'
import { isCaseless, posixSet, propertySet, SETS } from './unicode-sets.js'

/**
 * The engine whose rules a pattern follows: `oniguruma` in Hugging Face tokenizers, `tiktoken` (the Rust crates
 * fancy-regex and regex-syntax) in tiktoken files.
 */
export type SplitPatternFlavour = 'oniguruma' | 'tiktoken'

const MAX_SOURCE = 1 << 16
/** In characters. Oniguruma refuses what has no limit, and the matcher tries each length. */
const MAX_LOOKBEHIND = 255

/**
 * Compiles a pattern to a program of the native matcher.
 *
 * Throws {@link UnsupportedTokenizerError}, which names the construct, for what cannot be reproduced exactly, and
 * {@link TokenizerFileError} for what the reference refuses too. `file` is for their messages.
 *
 * ```ts
 * new binding.NativeSplitPattern(compileSplitPattern("\\p{L}+|\\s+(?!\\S)|\\s+", 'oniguruma')).split(text)
 * ```
 */
export function compileSplitPattern(
  source: string,
  flavour: SplitPatternFlavour,
  file = '<pattern>',
): Uint32Array {
  const unsupported = (construct: string, why: string) =>
    new UnsupportedTokenizerError(
      file,
      `split pattern ${JSON.stringify(shortened(source))}`,
      `${construct} ${why}`,
    )
  if (source.length > MAX_SOURCE) {
    throw unsupported(`${source.length} characters`, `are too many: at most ${MAX_SOURCE} are compiled`)
  }
  try {
    return new Compiler(parse(source, flavour, file), flavour).program()
  } catch (error) {
    if (error instanceof UnsupportedConstruct) throw unsupported(error.construct, error.message)
    if (error instanceof ProgramTooLargeError) throw unsupported('the size of the pattern', error.message)
    if (error instanceof RangeError) throw unsupported('the nesting of groups', 'is too deep')
    throw error
  }
}

function parse(source: string, flavour: SplitPatternFlavour, file: string): OnigurumaAst {
  const translated = flavour === 'tiktoken' ? translateRust(source, unsupportedConstruct) : source
  try {
    // Tokenizer files have no numbered names: (?<name>…) turns plain groups into non-capturing ones, as there.
    return toOnigurumaAst(translated)
  } catch (cause) {
    if (cause instanceof RangeError) throw cause
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new TokenizerFileError(file, 'split pattern', `${JSON.stringify(shortened(source))}: ${message}`, {
      cause,
    })
  }
}

function shortened(source: string): string {
  return source.length <= 80 ? source : `${source.slice(0, 79)}…`
}

class UnsupportedConstruct extends Error {
  readonly construct: string

  constructor(construct: string, message: string) {
    super(message)
    this.construct = construct
  }
}

function unsupportedConstruct(construct: string, message = 'is not supported'): never {
  throw new UnsupportedConstruct(construct, message)
}

/** What the enclosing groups say. */
interface Context {
  readonly ignoreCase: boolean
  readonly dotAll: boolean
  /** In a lookbehind the program reads the text backward, last element first. */
  readonly backward: boolean
}

class Compiler {
  readonly #ast: OnigurumaAst
  readonly #flavour: SplitPatternFlavour
  readonly #writer = new ProgramWriter()
  readonly #groupNames = new Map<string, number>()
  #groups = 0
  #hasBackreference = false

  constructor(ast: OnigurumaAst, flavour: SplitPatternFlavour) {
    this.#ast = ast
    this.#flavour = flavour
  }

  program(): Uint32Array {
    this.#survey(this.#ast.body)
    const context = { ignoreCase: false, dotAll: false, backward: false }
    this.#alternatives(this.#ast.body, context)
    this.#writer.match()
    return this.#writer.finish(this.#hasBackreference ? this.#groups + 1 : 0)
  }

  /** Groups are recorded only where something refers to one. */
  #survey(alternatives: readonly AlternativeNode[]): void {
    const visit = (node: AlternativeElementNode): void => {
      if (node.type === 'Backreference') this.#hasBackreference = true
      if (node.type === 'CapturingGroup') {
        this.#groups = Math.max(this.#groups, node.number)
        if (node.name !== undefined) {
          if (this.#groupNames.has(node.name)) this.#groupNames.set(node.name, -1)
          else this.#groupNames.set(node.name, node.number)
        }
      }
      if (node.type === 'Quantifier') visit(node.body)
      else if ('body' in node && node.type !== 'CharacterClass') this.#survey(node.body)
    }
    for (const { body } of alternatives) body.forEach(visit)
  }

  #alternatives(alternatives: readonly AlternativeNode[], outer: Context): void {
    const { context, alternatives: rest } = withLeadingFlags(alternatives, outer, this.#flavour)
    if (rest.length === 1) return this.#sequence((rest[0] as AlternativeNode).body, context)
    const starts = rest.map(() => new Label())
    const end = new Label()
    this.#writer.alternatives(starts)
    rest.forEach(({ body }, i) => {
      this.#writer.place(starts[i] as Label)
      this.#sequence(body, context)
      if (i < rest.length - 1) this.#writer.jump(end)
    })
    this.#writer.place(end)
  }

  #sequence(nodes: readonly AlternativeElementNode[], context: Context): void {
    const parts: (() => void)[] = []
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i] as AlternativeElementNode
      if (node.type === 'Directive' && node.kind === 'flags') {
        const inner = withFlags(node.flags, context, this.#flavour)
        const rest = nodes.slice(i + 1)
        parts.push(() => this.#sequence(rest, inner))
        break
      }
      if (node.type !== 'Character') {
        parts.push(() => this.#element(node, context))
        continue
      }
      const codePoints = [node.value]
      for (let next = nodes[i + 1]; next?.type === 'Character'; next = nodes[i + 1]) {
        codePoints.push(next.value)
        i++
      }
      parts.push(() => this.#characters(codePoints, context))
    }
    if (context.backward) parts.reverse()
    for (const part of parts) part()
  }

  /** Characters that stand beside each other. */
  #characters(codePoints: readonly number[], context: Context): void {
    if (!context.ignoreCase) {
      if (!context.backward) return this.#writer.literal(codePoints)
      for (const c of codePoints.toReversed()) this.#writer.class(range(c, c), true)
      return
    }
    const parts: (() => void)[] = []
    for (let i = 0; i < codePoints.length; ) {
      const multi = this.#flavour === 'oniguruma' ? multiFoldAt(codePoints, i) : undefined
      const c = codePoints[i] as number
      if (multi === undefined) parts.push(() => this.#writer.class(fold(range(c, c)), context.backward))
      else parts.push(() => this.#foldings(multi.folding, fold(characters(...multi.alike)), context))
      i += multi?.length ?? 1
    }
    if (context.backward) parts.reverse()
    for (const part of parts) part()
  }

  /** One character of a set, or the several that it folds to. */
  #foldings(folding: readonly number[], single: ClassExpression, context: Context): void {
    this.#branches([
      () => this.#writer.class(single, context.backward),
      () => {
        const ordered = context.backward ? folding.toReversed() : folding
        for (const c of ordered) this.#writer.class(fold(range(c, c)), context.backward)
      },
    ])
  }

  #branches(branches: readonly (() => void)[]): void {
    const starts = branches.map(() => new Label())
    const end = new Label()
    this.#writer.alternatives(starts)
    branches.forEach((branch, i) => {
      this.#writer.place(starts[i] as Label)
      branch()
      if (i < branches.length - 1) this.#writer.jump(end)
    })
    this.#writer.place(end)
  }

  #element(node: AlternativeElementNode, context: Context): void {
    switch (node.type) {
      case 'Character':
        return this.#characters([node.value], context)
      case 'CharacterClass': {
        const folded = this.#multiFoldsIn(node, context)
        const set = this.#setOf(node, context) as ClassExpression
        if (folded.length === 0) return this.#writer.class(set, context.backward)
        return this.#branches([
          () => this.#writer.class(set, context.backward),
          ...folded.map((folding) => () => {
            const ordered = context.backward ? folding.toReversed() : folding
            for (const c of ordered) this.#writer.class(fold(range(c, c)), context.backward)
          }),
        ])
      }
      case 'CharacterSet': {
        const set = this.#setOf(node, context)
        if (set !== undefined) return this.#writer.class(set, context.backward)
        if (node.kind !== 'newline') return unsupportedConstruct('\\X (text segment)')
        if (context.backward) return unsupportedConstruct('\\R in a lookbehind')
        return this.#writer.atomic(() =>
          this.#branches([
            () => this.#writer.literal([0x0d, 0x0a]),
            () => this.#writer.class(SETS.lineBreaks, false),
          ]),
        )
      }
      case 'Assertion':
        return this.#assertion(node.kind, node.negate === true)
      case 'LookaroundAssertion': {
        const backward = node.kind === 'lookbehind'
        if (backward && !(longestOf(node.body) <= MAX_LOOKBEHIND)) {
          return unsupportedConstruct('a lookbehind', `may look at most ${MAX_LOOKBEHIND} characters back`)
        }
        return this.#writer.look(node.negate, () => this.#alternatives(node.body, { ...context, backward }))
      }
      case 'Group': {
        const inner = withFlags(node.flags, context, this.#flavour)
        if (node.atomic !== true) return this.#alternatives(node.body, inner)
        if (context.backward) return unsupportedConstruct('an atomic group in a lookbehind')
        return this.#writer.atomic(() => this.#alternatives(node.body, inner))
      }
      case 'CapturingGroup':
        if (!this.#hasBackreference) return this.#alternatives(node.body, context)
        if (context.backward) return unsupportedConstruct('a back reference beside a group in a lookbehind')
        this.#writer.save(node.number * 2)
        this.#alternatives(node.body, context)
        return this.#writer.save(node.number * 2 + 1)
      case 'Backreference':
        return this.#backreference(node.ref, context)
      case 'Quantifier':
        return this.#quantifier(node, context)
      case 'Directive':
        return unsupportedConstruct(node.kind === 'keep' ? '\\K (keep)' : 'an inline flag here')
      case 'AbsenceFunction':
        return unsupportedConstruct('an absence function (?~…)')
      case 'NamedCallout':
        return unsupportedConstruct('a callout')
      case 'Subroutine':
        return unsupportedConstruct('a subroutine call')
      default:
        return unsupportedConstruct((node as { type: string }).type)
    }
  }

  #assertion(kind: string, negated: boolean): void {
    const rust = this.#flavour === 'tiktoken'
    switch (kind) {
      case 'line_start':
        return this.#writer.assert(rust ? Assertion.TEXT_START : Assertion.LINE_START)
      case 'line_end':
        return this.#writer.assert(rust ? Assertion.TEXT_END : Assertion.LINE_END)
      case 'string_start':
        return this.#writer.assert(Assertion.TEXT_START)
      case 'string_end':
        return this.#writer.assert(Assertion.TEXT_END)
      case 'string_end_newline':
        return this.#writer.assert(Assertion.TEXT_END_NEWLINE)
      case 'search_start':
        return this.#writer.assert(Assertion.SEARCH_START)
      case 'word_boundary':
        return this.#writer.assert(negated ? Assertion.NO_WORD_BORDER : Assertion.WORD_BORDER, this.#word())
      default:
        return unsupportedConstruct('\\y (text segment border)')
    }
  }

  #backreference(ref: string | number, context: Context): void {
    if (context.backward) return unsupportedConstruct('a back reference in a lookbehind')
    if (context.ignoreCase) return unsupportedConstruct('a back reference that ignores case')
    const number = typeof ref === 'number' ? ref : this.#groupNames.get(ref)
    if (number === undefined || number < 1) {
      return unsupportedConstruct('a back reference', 'must refer to one group')
    }
    this.#writer.backreference(number)
  }

  #quantifier(node: QuantifierNode, context: Context): void {
    const { body } = node
    if (this.#flavour === 'tiktoken') {
      if (body.type !== 'Quantifier') return this.#repeat(node, context)
      // `{2,3}+` is possessive in Rust; in Oniguruma it repeats the repetition.
      const isPlus = node.kind === 'greedy' && node.min === 1 && node.max === Number.POSITIVE_INFINITY
      if (!isPlus) return unsupportedConstruct('a quantifier of a quantifier')
      return this.#repeat({ ...body, kind: 'possessive' }, context)
    }
    const { min, max } = node
    if ((min > 1 || (max > 1 && max !== Number.POSITIVE_INFINITY)) && isNullable(body)) {
      // Oniguruma ends some of these loops at an empty iteration and not others, by the size of its own program.
      return unsupportedConstruct('a counted repetition of what may be empty')
    }
    if (!isOptionalCount(node)) return this.#repeat(node, context)
    const fixed: QuantifierNode = { ...node, kind: 'greedy' }
    this.#repeat({ ...node, min: 0, max: 1, kind: 'greedy', body: fixed }, context)
  }

  #repeat({ body, min, max, kind }: QuantifierNode, context: Context): void {
    if (max === 0) return
    const limit = max === Number.POSITIVE_INFINITY ? NO_LIMIT : max
    const set = this.#multiFoldsIn(body, context).length === 0 ? this.#setOf(body, context) : undefined
    if (set !== undefined && !context.backward && (kind !== 'lazy' || min === max)) {
      return this.#writer.loop(set, min, limit, kind === 'possessive')
    }
    if (kind !== 'possessive') return this.#expand(body, min, max, kind === 'lazy', context)
    if (context.backward) return unsupportedConstruct('a possessive quantifier in a lookbehind')
    this.#writer.atomic(() => this.#expand(body, min, max, false, context))
  }

  /** A repetition in terms of alternatives. */
  #expand(body: AlternativeElementNode, min: number, max: number, lazy: boolean, context: Context): void {
    const writer = this.#writer
    const once = () => this.#element(body, context)
    const choose = (more: Label, end: Label) => writer.alternatives(lazy ? [end, more] : [more, end])
    const end = new Label()
    if (max !== Number.POSITIVE_INFINITY) {
      for (let i = 0; i < min; i++) once()
      for (let i = min; i < max; i++) {
        const more = new Label()
        choose(more, end)
        writer.place(more)
        once()
      }
      writer.place(end)
      return
    }
    if (min > 0 && !isNullable(body)) {
      for (let i = 1; i < min; i++) once()
      const again = new Label()
      writer.place(again)
      once()
      choose(again, end)
      writer.place(end)
      return
    }
    for (let i = 0; i < min; i++) once()
    const head = new Label()
    const more = new Label()
    writer.place(head)
    choose(more, end)
    writer.place(more)
    const register = isNullable(body) ? writer.newRegister() : undefined
    if (register !== undefined) writer.mark(register)
    once()
    if (register !== undefined) writer.check(register, end)
    writer.jump(head)
    writer.place(end)
  }

  #word(): ClassExpression {
    return this.#flavour === 'tiktoken' ? SETS.rustWord : SETS.word
  }

  /** The set of an element that always takes exactly one character; else undefined. */
  #setOf(node: AlternativeElementNode, context: Context): ClassExpression | undefined {
    switch (node.type) {
      case 'Character': {
        const set = range(node.value, node.value)
        return context.ignoreCase ? fold(set) : set
      }
      case 'CharacterSet':
        return this.#namedSet(node, context)
      case 'CharacterClass':
        return this.#classSet(node, context.ignoreCase, true, context)
      case 'Group': {
        if (node.atomic === true) return undefined
        return this.#setOfAlternatives(node.body, withFlags(node.flags, context, this.#flavour))
      }
      case 'CapturingGroup':
        return this.#hasBackreference ? undefined : this.#setOfAlternatives(node.body, context)
      default:
        return undefined
    }
  }

  #setOfAlternatives(
    alternatives: readonly AlternativeNode[],
    context: Context,
  ): ClassExpression | undefined {
    const sets: ClassExpression[] = []
    for (const { body } of alternatives) {
      const [only] = body
      const set = body.length === 1 && only !== undefined ? this.#setOf(only, context) : undefined
      if (set === undefined) return undefined
      sets.push(set)
    }
    return union(sets)
  }

  #namedSet(node: CharacterSetNode, context: Context, inBrackets = false): ClassExpression | undefined {
    const set = this.#positiveSet(node, context, inBrackets)
    return set !== undefined && node.negate === true ? negate(set) : set
  }

  #positiveSet(node: CharacterSetNode, context: Context, inBrackets: boolean): ClassExpression | undefined {
    switch (node.kind) {
      case 'any':
        return SETS.any
      case 'digit':
        return SETS.digit
      case 'dot':
        return context.dotAll ? SETS.any : negate(SETS.newline)
      case 'hex':
        return SETS.hex
      case 'space':
        return SETS.space
      case 'word':
        return inBrackets && this.#flavour === 'oniguruma' ? SETS.wordInBrackets : this.#word()
      case 'newline':
        return node.negate === true ? SETS.newline : undefined
      case 'posix':
      case 'property': {
        if (this.#flavour === 'tiktoken' && node.kind === 'posix') {
          return unsupportedConstruct(`the class [:${node.value}:]`)
        }
        if (node.value === 'word' && !inBrackets) return this.#word()
        const set = node.kind === 'posix' ? posixSet(node.value) : propertySet(node.value)
        return set ?? unsupportedConstruct(`\\p{${node.value}}`, 'is a property that is not supported')
      }
      default:
        return undefined
    }
  }

  /**
   * Oniguruma folds what a bracket holds in the end; Rust folds each part of it. Either way before it negates.
   */
  #classSet(
    node: CharacterClassNode,
    ignoreCase: boolean,
    outermost: boolean,
    context: Context,
  ): ClassExpression {
    const folds = ignoreCase && (outermost || this.#flavour === 'tiktoken')
    const sets = node.body.map((element) => this.#classElement(element, ignoreCase, context))
    const set = node.kind === 'intersection' ? intersection(sets) : union(sets)
    const positive = folds ? fold(set) : set
    return node.negate ? negate(positive) : positive
  }

  #classElement(node: CharacterClassElementNode, ignoreCase: boolean, context: Context): ClassExpression {
    switch (node.type) {
      case 'Character':
        return range(node.value, node.value)
      case 'CharacterClassRange':
        return range(node.min.value, node.max.value)
      case 'CharacterClass':
        return this.#classSet(node, ignoreCase, false, context)
      case 'CharacterSet':
        return this.#namedSet(node, context, true) ?? unsupportedConstruct('\\R or \\X in a class')
    }
  }

  /**
   * The several characters that Oniguruma also matches for an element that ignores case, because one character
   * of it folds to them: `ss` for `ß`.
   */
  #multiFoldsIn(node: AlternativeElementNode, context: Context): (readonly number[])[] {
    if (this.#flavour !== 'oniguruma') return []
    if (node.type === 'Group' && node.atomic !== true) {
      const inner = withFlags(node.flags, context, this.#flavour)
      return node.body.flatMap(({ body }) => body.flatMap((element) => this.#multiFoldsIn(element, inner)))
    }
    if (node.type === 'CapturingGroup') {
      return node.body.flatMap(({ body }) => body.flatMap((element) => this.#multiFoldsIn(element, context)))
    }
    if (!context.ignoreCase) return []
    if (node.type === 'Character') return foldingsOf((c) => c === node.value)
    if (node.type !== 'CharacterClass' || node.negate) return []
    return foldingsOf((c) => classHolds(node, c))
  }
}

/** Flags before the first alternative hold for all; later ones must not be followed by alternatives. */
function withLeadingFlags(
  alternatives: readonly AlternativeNode[],
  outer: Context,
  flavour: SplitPatternFlavour,
): { context: Context; alternatives: readonly AlternativeNode[] } {
  const [first, ...others] = alternatives
  if (first === undefined) return { context: outer, alternatives: [{ type: 'Alternative', body: [] }] }
  let context = outer
  let body = first.body
  for (let head = body[0]; head?.type === 'Directive' && head.kind === 'flags'; head = body[0]) {
    context = withFlags(head.flags, context, flavour)
    body = body.slice(1)
  }
  const rest = [{ ...first, body }, ...others]
  const isFlag = (node: AlternativeElementNode) => node.type === 'Directive' && node.kind === 'flags'
  if (rest.slice(0, -1).some((alternative) => alternative.body.some(isFlag))) {
    return unsupportedConstruct('an inline flag', 'may stand before all alternatives or in the last one')
  }
  return { context, alternatives: rest }
}

function withFlags(flags: GroupNode['flags'], context: Context, flavour: SplitPatternFlavour): Context {
  if (flags === undefined) return context
  for (const name of Object.keys({ ...flags.enable, ...flags.disable })) {
    if (!['ignoreCase', 'dotAll', 'extended'].includes(name)) unsupportedConstruct(`the flag ${name}`)
    if (name === 'dotAll' && flavour === 'tiktoken') unsupportedConstruct('the flag m')
  }
  const { ignoreCase, dotAll } = context
  return {
    ...context,
    ignoreCase: (ignoreCase || flags.enable?.ignoreCase === true) && flags.disable?.ignoreCase !== true,
    dotAll: (dotAll || flags.enable?.dotAll === true) && flags.disable?.dotAll !== true,
  }
}

/** `{3}?`, which in Oniguruma is not lazy but optional. */
function isOptionalCount({ kind, min, max }: QuantifierNode): boolean {
  return kind === 'lazy' && min === max
}

/** Whether an element may match nothing. When in doubt it may: that only costs a check. */
function isNullable(node: AlternativeElementNode): boolean {
  switch (node.type) {
    case 'Character':
    case 'CharacterClass':
    case 'CharacterSet':
      return false
    case 'Quantifier':
      return node.min === 0 || isOptionalCount(node) || isNullable(node.body)
    case 'Group':
    case 'CapturingGroup':
      return node.body.some(({ body }) => body.every(isNullable))
    default:
      return true
  }
}

/** The greatest number of characters. */
function longestOf(alternatives: readonly AlternativeNode[]): number {
  const longest = (node: AlternativeElementNode): number => {
    switch (node.type) {
      case 'Character':
        return 3 // one that ignores case may be three
      case 'CharacterClass':
      case 'CharacterSet':
        return 3
      case 'Quantifier':
        return node.max === 0 ? 0 : node.max * longest(node.body)
      case 'Group':
      case 'CapturingGroup':
        return longestOf(node.body)
      default:
        return 0
    }
  }
  return Math.max(0, ...alternatives.map(({ body }) => body.reduce((sum, node) => sum + longest(node), 0)))
}

/** Uppercase, then lowercase: enough for the letters that stand in foldings of several characters. */
function simpleFold(c: number): number {
  const lower = String.fromCodePoint(c).toUpperCase().toLowerCase()
  const folded = lower.codePointAt(0) as number
  return String.fromCodePoint(folded) === lower ? folded : c
}

/** Characters from `i` on, or the one there, that are several characters or one when case is ignored. */
function multiFoldAt(
  codePoints: readonly number[],
  i: number,
): { alike: readonly number[]; folding: readonly number[]; length: number } | undefined {
  for (const [alike, folding] of MULTI_FOLDS) {
    if (alike.includes(codePoints[i] as number)) return { alike, folding, length: 1 }
  }
  let longest: { alike: readonly number[]; folding: readonly number[]; length: number } | undefined
  for (const [alike, folding] of MULTI_FOLDS) {
    if (folding.length <= (longest?.length ?? 0)) continue
    const same = folding.every(
      (c, k) => i + k < codePoints.length && simpleFold(codePoints[i + k] as number) === c,
    )
    if (same) longest = { alike, folding, length: folding.length }
  }
  return longest
}

function foldingsOf(holds: (c: number) => boolean): (readonly number[])[] {
  return MULTI_FOLDS.flatMap(([alike, folding]) => (alike.some(holds) ? [folding] : []))
}

function classHolds(node: CharacterClassNode, c: number): boolean {
  const holds = (element: CharacterClassElementNode): boolean => {
    switch (element.type) {
      case 'Character':
        return element.value === c
      case 'CharacterClassRange':
        return element.min.value <= c && c <= element.max.value
      case 'CharacterClass':
        return classHolds(element, c)
      case 'CharacterSet': {
        if (element.negate !== true && isCaseless(element.value ?? element.kind)) return false
        return unsupportedConstruct(
          'a class with letters by name that ignores case',
          'is not supported; write it outside the brackets',
        )
      }
    }
  }
  const some = node.kind === 'intersection' ? node.body.every(holds) : node.body.some(holds)
  return some !== node.negate
}
