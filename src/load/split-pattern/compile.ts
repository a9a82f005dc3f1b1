// Compiles the regular expressions of tokenizer files for the matcher in native/core/split_pattern.hpp.
import { toOnigurumaAst } from 'oniguruma-parser'
import type {
  AlternativeElementNode,
  AlternativeNode,
  AssertionNode,
  CapturingGroupNode,
  CharacterSetNode,
  LookaroundAssertionNode,
  OnigurumaAst,
  QuantifierNode,
} from 'oniguruma-parser/parser'
import { TokenizerFileError, UnsupportedTokenizerError } from '../../errors.js'
import { quoted, shortened } from '../quoted.js'
import { multiFoldAt, multiFoldsIn, setOf, wordSet } from './character-sets.js'
import { type Context, type SplitPatternFlavour, withFlags, withLeadingFlags } from './context.js'
import {
  Assertion,
  type ClassExpression,
  characters,
  fold,
  Label,
  NO_LIMIT,
  ProgramTooLargeError,
  ProgramWriter,
  range,
} from './program.js'
import { translateRust } from './rust-syntax.js'
import { SETS } from './unicode-sets.js'
import { UnsupportedConstruct, unsupportedConstruct } from './unsupported.js'

export type { SplitPatternFlavour } from './context.js'

const MAX_SOURCE = 1 << 16
/** In characters. Oniguruma refuses what has no limit. */
const MAX_LOOKBEHIND = 255

/**
 * Compiles a pattern to a program of the native matcher.
 *
 * Throws {@link UnsupportedTokenizerError}, which names the construct, for what cannot be reproduced exactly, and
 * {@link TokenizerFileError} for what is no pattern. `file` and `where`, the pattern's JSON path, are for their messages.
 *
 * ```ts
 * new binding.NativeSplitPattern(compileSplitPattern('\\p{L}+|\\s+', 'oniguruma')).split('two words')
 * ```
 */
export function compileSplitPattern(
  source: string,
  flavour: SplitPatternFlavour,
  file = '<pattern>',
  where?: string,
): Uint32Array {
  const shown = quoted(source)
  const unsupported = (construct: string, why: string) =>
    new UnsupportedTokenizerError(
      file,
      'split pattern',
      `${where === undefined ? '' : `${where}: `}${construct} ${why}: ${shown}`,
    )
  if (source.length > MAX_SOURCE) {
    throw unsupported(`${source.length} characters`, `are too many (at most ${MAX_SOURCE} are compiled)`)
  }
  try {
    const translated = flavour === 'tiktoken' ? translateRust(source, unsupportedConstruct) : source
    return new Compiler(parse(translated, shown, file, where), flavour).program()
  } catch (error) {
    if (error instanceof UnsupportedConstruct) throw unsupported(error.construct, error.message)
    if (error instanceof ProgramTooLargeError) throw unsupported('a pattern of this size', error.message)
    if (error instanceof RangeError) throw unsupported('the nesting of its groups', 'is too deep')
    throw error
  }
}

function parse(source: string, shown: string, file: string, where = 'split pattern'): OnigurumaAst {
  try {
    return toOnigurumaAst(source)
  } catch (cause) {
    if (cause instanceof RangeError) throw cause
    const message = shortened(cause instanceof Error ? cause.message : String(cause), 200)
    throw new TokenizerFileError(file, where, `${message}: ${shown}`, { cause })
  }
}

class Compiler {
  readonly #ast: OnigurumaAst
  readonly #flavour: SplitPatternFlavour
  readonly #writer = new ProgramWriter()
  /** Numbers by name; a name that stands twice has none. */
  readonly #groupNames = new Map<string, number | undefined>()
  #groups = 0
  /** Groups are recorded only where something refers to one. */
  #hasBackreference = false

  constructor(ast: OnigurumaAst, flavour: SplitPatternFlavour) {
    this.#ast = ast
    this.#flavour = flavour
  }

  program(): Uint32Array {
    this.#survey(this.#ast.body)
    const context = { flavour: this.#flavour, ignoreCase: false, dotAll: false, backward: false }
    this.#alternatives(this.#ast.body, context)
    this.#writer.match()
    return this.#writer.finish(this.#hasBackreference ? this.#groups + 1 : 0)
  }

  #survey(alternatives: readonly AlternativeNode[]): void {
    const visit = (node: AlternativeElementNode): void => {
      if (node.type === 'Backreference') this.#hasBackreference = true
      if (node.type === 'CapturingGroup') {
        this.#groups = Math.max(this.#groups, node.number)
        if (node.name !== undefined) {
          this.#groupNames.set(node.name, this.#groupNames.has(node.name) ? undefined : node.number)
        }
      }
      if (node.type === 'Quantifier') visit(node.body)
      else if ('body' in node && node.type !== 'CharacterClass') this.#survey(node.body)
    }
    for (const { body } of alternatives) body.forEach(visit)
  }

  #alternatives(alternatives: readonly AlternativeNode[], outer: Context): void {
    const { context, bodies } = withLeadingFlags(alternatives, outer)
    this.#branches(bodies.map((body) => () => this.#sequence(body, context)))
  }

  /** The first branch that leads to a match. */
  #branches(branches: readonly (() => void)[]): void {
    if (branches.length === 1) {
      branches[0]?.()
      return
    }
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

  #sequence(nodes: readonly AlternativeElementNode[], context: Context): void {
    const parts: (() => void)[] = []
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i] as AlternativeElementNode
      if (node.type === 'Directive' && node.kind === 'flags') {
        const inner = withFlags(node.flags, context)
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
    inOrder(parts, context)
  }

  /** Characters that stand beside each other. */
  #characters(codePoints: readonly number[], context: Context): void {
    if (!context.ignoreCase && !context.backward) {
      this.#writer.literal(codePoints)
      return
    }
    const parts: (() => void)[] = []
    for (let i = 0; i < codePoints.length; ) {
      const c = codePoints[i] as number
      const set = context.ignoreCase ? fold(range(c, c)) : range(c, c)
      const multi =
        context.ignoreCase && this.#flavour === 'oniguruma' ? multiFoldAt(codePoints, i) : undefined
      parts.push(
        multi === undefined
          ? () => this.#writer.class(set, context.backward)
          : () => this.#setOrFoldings(fold(characters(...multi.alike)), [multi.folding], context),
      )
      i += multi?.length ?? 1
    }
    inOrder(parts, context)
  }

  /** One character of a set, or several that one of it folds to. */
  #setOrFoldings(set: ClassExpression, foldings: readonly (readonly number[])[], context: Context): void {
    const one = (single: ClassExpression) => () => this.#writer.class(single, context.backward)
    this.#branches([
      one(set),
      ...foldings.map((folding) => () => {
        inOrder(
          folding.map((c) => one(fold(range(c, c)))),
          context,
        )
      }),
    ])
  }

  #element(node: AlternativeElementNode, context: Context): void {
    switch (node.type) {
      case 'Character':
        this.#characters([node.value], context)
        break
      case 'CharacterClass':
        this.#setOrFoldings(setOf(node, context) as ClassExpression, multiFoldsIn(node, context), context)
        break
      case 'CharacterSet':
        this.#characterSet(node, context)
        break
      case 'Assertion':
        this.#assertion(node, context)
        break
      case 'LookaroundAssertion':
        this.#lookaround(node, context)
        break
      case 'Group': {
        const inner = withFlags(node.flags, context)
        if (node.atomic === true)
          this.#atomic('an atomic group', inner, () => this.#alternatives(node.body, inner))
        else this.#alternatives(node.body, inner)
        break
      }
      case 'CapturingGroup':
        this.#capture(node, context)
        break
      case 'Backreference':
        this.#backreference(node.ref, context)
        break
      case 'Quantifier':
        this.#quantifier(node, context)
        break
      case 'Directive':
        unsupportedConstruct(node.kind === 'keep' ? '\\K (keep)' : 'an inline flag here')
        break
      case 'AbsenceFunction':
        unsupportedConstruct('an absence function (?~…)')
        break
      case 'NamedCallout':
        unsupportedConstruct('a callout')
        break
      case 'Subroutine':
        unsupportedConstruct('a subroutine call')
        break
    }
  }

  #characterSet(node: CharacterSetNode, context: Context): void {
    const set = setOf(node, context)
    if (set !== undefined) {
      this.#writer.class(set, context.backward)
    } else if (node.kind === 'newline') {
      this.#atomic('\\R', context, () => {
        this.#branches([
          () => this.#writer.literal([0x0d, 0x0a]),
          () => this.#writer.class(SETS.lineBreaks, false),
        ])
      })
    } else {
      unsupportedConstruct('\\X (text segment)')
    }
  }

  #atomic(construct: string, context: Context, body: () => void): void {
    if (context.backward) unsupportedConstruct(`${construct} in a lookbehind`)
    this.#writer.atomic(body)
  }

  #assertion({ kind, negate }: AssertionNode, context: Context): void {
    const rust = this.#flavour === 'tiktoken'
    switch (kind) {
      case 'line_start':
        this.#writer.assert(rust ? Assertion.TEXT_START : Assertion.LINE_START)
        break
      case 'line_end':
        this.#writer.assert(rust ? Assertion.TEXT_END : Assertion.LINE_END)
        break
      case 'string_start':
        this.#writer.assert(Assertion.TEXT_START)
        break
      case 'string_end':
        this.#writer.assert(Assertion.TEXT_END)
        break
      case 'string_end_newline':
        this.#writer.assert(Assertion.TEXT_END_NEWLINE)
        break
      case 'search_start':
        this.#writer.assert(Assertion.SEARCH_START)
        break
      case 'word_boundary':
        this.#writer.assert(negate ? Assertion.NO_WORD_BORDER : Assertion.WORD_BORDER, wordSet(context))
        break
      default:
        unsupportedConstruct('\\y (text segment border)')
    }
  }

  #lookaround(node: LookaroundAssertionNode, context: Context): void {
    const backward = node.kind === 'lookbehind'
    if (backward && !(longestOf(node.body) <= MAX_LOOKBEHIND)) {
      unsupportedConstruct('a lookbehind', `may look at most ${MAX_LOOKBEHIND} characters back`)
    }
    this.#writer.look(node.negate, () => this.#alternatives(node.body, { ...context, backward }))
  }

  #capture(node: CapturingGroupNode, context: Context): void {
    if (!this.#hasBackreference) {
      this.#alternatives(node.body, context)
      return
    }
    if (context.backward) unsupportedConstruct('a group in a lookbehind beside a back reference')
    this.#writer.save(node.number * 2)
    this.#alternatives(node.body, context)
    this.#writer.save(node.number * 2 + 1)
  }

  #backreference(ref: string | number, context: Context): void {
    if (context.backward) unsupportedConstruct('a back reference in a lookbehind')
    if (context.ignoreCase) unsupportedConstruct('a back reference that ignores case')
    const number = typeof ref === 'number' ? ref : this.#groupNames.get(ref)
    if (number === undefined || number < 1 || number > this.#groups) {
      unsupportedConstruct('a back reference', 'must refer to one group')
    }
    this.#writer.backreference(number)
  }

  #quantifier(node: QuantifierNode, context: Context): void {
    const { body, min, max, kind } = node
    if (this.#flavour === 'tiktoken') {
      // `{2,3}+` is possessive in Rust; in Oniguruma it repeats the repetition.
      const isPlus = kind === 'greedy' && min === 1 && max === Number.POSITIVE_INFINITY
      if (body.type !== 'Quantifier') this.#repeat(node, context)
      else if (isPlus) this.#repeat({ ...body, kind: 'possessive' }, context)
      else unsupportedConstruct('a quantifier of a quantifier')
      return
    }
    if ((min > 1 || (max > 1 && max !== Number.POSITIVE_INFINITY)) && isNullable(body)) {
      // Oniguruma ends some of these loops at an empty iteration and not others, by the size of its own program.
      unsupportedConstruct('a counted repetition of what may be empty')
    }
    if (isOptionalCount(node)) {
      const fixed: QuantifierNode = { ...node, kind: 'greedy' }
      this.#repeat({ ...node, min: 0, max: 1, kind: 'greedy', body: fixed }, context)
    } else {
      this.#repeat(node, context)
    }
  }

  #repeat({ body, min, max, kind }: QuantifierNode, context: Context): void {
    if (max === 0) return
    const set = multiFoldsIn(body, context).length === 0 ? setOf(body, context) : undefined
    if (set !== undefined && !context.backward && (kind !== 'lazy' || min === max)) {
      this.#writer.loop(set, min, max === Number.POSITIVE_INFINITY ? NO_LIMIT : max, kind === 'possessive')
    } else if (kind === 'possessive') {
      this.#atomic('a possessive quantifier', context, () => this.#expand(body, min, max, false, context))
    } else {
      this.#expand(body, min, max, kind === 'lazy', context)
    }
  }

  /** A repetition in terms of alternatives. */
  #expand(body: AlternativeElementNode, min: number, max: number, lazy: boolean, context: Context): void {
    const writer = this.#writer
    const end = new Label()
    const once = () => this.#element(body, context)
    const choose = (more: Label) => writer.alternatives(lazy ? [end, more] : [more, end])
    if (max !== Number.POSITIVE_INFINITY) {
      for (let i = 0; i < max; i++) {
        if (i >= min) {
          const more = new Label()
          choose(more)
          writer.place(more)
        }
        once()
      }
    } else if (min > 0 && !isNullable(body)) {
      for (let i = 1; i < min; i++) once()
      const again = new Label()
      writer.place(again)
      once()
      choose(again)
    } else {
      for (let i = 0; i < min; i++) once()
      const head = new Label()
      const more = new Label()
      const register = isNullable(body) ? writer.newRegister() : undefined
      writer.place(head)
      choose(more)
      writer.place(more)
      if (register !== undefined) writer.mark(register)
      once()
      if (register !== undefined) writer.check(register, end)
      writer.jump(head)
    }
    writer.place(end)
  }
}

function inOrder(parts: readonly (() => void)[], { backward }: Context): void {
  for (const part of backward ? parts.toReversed() : parts) part()
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

/** The greatest number of characters that alternatives take; one that ignores case may be three. */
function longestOf(alternatives: readonly AlternativeNode[]): number {
  const longest = (node: AlternativeElementNode): number => {
    switch (node.type) {
      case 'Character':
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
