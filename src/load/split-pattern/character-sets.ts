// Elements of a pattern that are one character, as sets; and what else matches when case is ignored.
import type {
  AlternativeElementNode,
  AlternativeNode,
  CharacterClassElementNode,
  CharacterClassNode,
  CharacterSetNode,
} from 'oniguruma-parser/parser'
import { shortened } from '../quoted.js'
import { type Context, withFlags } from './context.js'
import { type ClassExpression, fold, intersection, negate, range, union } from './program.js'
import { MULTI_FOLDS } from './unicode-names.js'
import { isCaseless, posixSet, propertySet, SETS } from './unicode-sets.js'
import { unsupportedConstruct } from './unsupported.js'

/** The set of an element that always takes exactly one character, whatever the way there; else undefined. */
export function setOf(node: AlternativeElementNode, context: Context): ClassExpression | undefined {
  switch (node.type) {
    case 'Character': {
      const set = range(node.value, node.value)
      return context.ignoreCase ? fold(set) : set
    }
    case 'CharacterSet':
      return namedSet(node, context, false)
    case 'CharacterClass':
      return classSet(node, context, true)
    case 'Group':
      return node.atomic === true ? undefined : setOfAlternatives(node.body, withFlags(node.flags, context))
    default:
      return undefined
  }
}

function setOfAlternatives(alternatives: readonly AlternativeNode[], context: Context) {
  const sets: ClassExpression[] = []
  for (const { body } of alternatives) {
    const [only] = body
    const set = body.length === 1 && only !== undefined ? setOf(only, context) : undefined
    if (set === undefined) return undefined
    sets.push(set)
  }
  return union(sets)
}

/** Characters of words: what `\w` matches and `\b` is a border of. */
export function wordSet({ flavour }: Context, inBrackets = false): ClassExpression {
  if (flavour === 'tiktoken') return SETS.rustWord
  return inBrackets ? SETS.wordInBrackets : SETS.word
}

function namedSet(
  node: CharacterSetNode,
  context: Context,
  inBrackets: boolean,
): ClassExpression | undefined {
  const named = positiveSet(node, context, inBrackets)
  // Rust also ignores the case of a property on its own.
  const folds = context.ignoreCase && context.flavour === 'tiktoken' && node.kind === 'property'
  const set = named !== undefined && folds ? fold(named) : named
  return set !== undefined && node.negate === true ? negate(set) : set
}

function positiveSet(
  node: CharacterSetNode,
  context: Context,
  inBrackets: boolean,
): ClassExpression | undefined {
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
      return wordSet(context, inBrackets)
    case 'newline':
      return node.negate === true ? SETS.newline : undefined
    case 'posix':
    case 'property': {
      if (node.value === 'word') return wordSet(context, inBrackets)
      const set = node.kind === 'posix' ? posixSet(node.value) : propertySet(node.value)
      return (
        set ?? unsupportedConstruct(`\\p{${shortened(node.value)}}`, 'is a property that is not supported')
      )
    }
    default:
      return undefined
  }
}

/** Oniguruma folds what a bracket holds in the end, Rust each part of it; both before they negate. */
function classSet(node: CharacterClassNode, context: Context, outermost: boolean): ClassExpression {
  const sets = node.body.map((element) => classElement(element, context))
  const set = node.kind === 'intersection' ? intersection(sets) : union(sets)
  const folds = context.ignoreCase && (outermost || context.flavour === 'tiktoken')
  const positive = folds ? fold(set) : set
  return node.negate ? negate(positive) : positive
}

function classElement(node: CharacterClassElementNode, context: Context): ClassExpression {
  switch (node.type) {
    case 'Character':
      return range(node.value, node.value)
    case 'CharacterClassRange':
      return range(node.min.value, node.max.value)
    case 'CharacterClass':
      return classSet(node, context, false)
    case 'CharacterSet':
      return namedSet(node, context, true) ?? unsupportedConstruct('\\R or \\X in a class')
  }
}

/**
 * The several characters that Oniguruma also matches for an element that ignores case, because one of its characters
 * folds to them: `ss` for `ß`.
 */
export function multiFoldsIn(node: AlternativeElementNode, context: Context): (readonly number[])[] {
  if (context.flavour !== 'oniguruma') return []
  if (node.type === 'Group' && node.atomic !== true) {
    const inner = withFlags(node.flags, context)
    return node.body.flatMap(({ body }) => body.flatMap((element) => multiFoldsIn(element, inner)))
  }
  if (!context.ignoreCase) return []
  if (node.type === 'Character') return foldingsOf((c) => c === node.value)
  if (node.type !== 'CharacterClass' || node.negate) return []
  return foldingsOf((c) => classHolds(node, c))
}

function foldingsOf(holds: (c: number) => boolean): (readonly number[])[] {
  return MULTI_FOLDS.flatMap(([alike, folding]) => (alike.some(holds) ? [folding] : []))
}

/** Whether a class holds a character that folds to several: a letter, all of them. */
function classHolds(node: CharacterClassNode, c: number): boolean {
  const holds = (element: CharacterClassElementNode): boolean => {
    switch (element.type) {
      case 'Character':
        return element.value === c
      case 'CharacterClassRange':
        return element.min.value <= c && c <= element.max.value
      case 'CharacterClass':
        return classHolds(element, c)
      case 'CharacterSet':
        if (element.negate !== true && isCaseless(element.value ?? element.kind)) return false
        return unsupportedConstruct(
          'a class that names letters and ignores case',
          'is not supported; name them outside the brackets',
        )
    }
  }
  const positive = node.kind === 'intersection' ? node.body.every(holds) : node.body.some(holds)
  return positive !== node.negate
}

/** Characters that match another way when case is ignored: several as one, or one as several. */
export interface MultiFold {
  /** The single characters. */
  readonly alike: readonly number[]
  /** The several. */
  readonly folding: readonly number[]
  /** How many characters of the pattern stand for it. */
  readonly length: number
}

/** The longest such place at `i`. */
export function multiFoldAt(codePoints: readonly number[], i: number): MultiFold | undefined {
  let longest: MultiFold | undefined
  for (const [alike, folding] of MULTI_FOLDS) {
    if (alike.includes(codePoints[i] as number)) return { alike, folding, length: 1 }
    if (folding.length <= (longest?.length ?? 0) || i + folding.length > codePoints.length) continue
    const same = folding.every((c, k) => simpleFold(codePoints[i + k] as number) === c)
    if (same) longest = { alike, folding, length: folding.length }
  }
  return longest
}

/** Upper case, then lower case: right for the letters that stand in foldings, whatever Node's Unicode version. */
function simpleFold(c: number): number {
  const folded = String.fromCodePoint(c).toUpperCase().toLowerCase()
  const first = folded.codePointAt(0) as number
  return String.fromCodePoint(first) === folded ? first : c
}
