// What the enclosing groups say about an element.
import type { AlternativeElementNode, AlternativeNode, GroupNode } from 'oniguruma-parser/parser'
import { unsupportedConstruct } from './unsupported.js'

/**
 * The engine whose rules a pattern follows: `oniguruma` in Hugging Face tokenizers, `tiktoken` (the Rust crates
 * fancy-regex and regex-syntax) in tiktoken files.
 */
export type SplitPatternFlavour = 'oniguruma' | 'tiktoken'

export interface Context {
  readonly flavour: SplitPatternFlavour
  readonly ignoreCase: boolean
  readonly dotAll: boolean
  /** In a lookbehind the program reads the text backward, last element first. */
  readonly backward: boolean
}

export function withFlags(flags: GroupNode['flags'], context: Context): Context {
  if (flags === undefined) return context
  for (const name of Object.keys({ ...flags.enable, ...flags.disable })) {
    if (!['ignoreCase', 'dotAll', 'extended'].includes(name)) unsupportedConstruct(`the flag ${name}`)
  }
  const { ignoreCase, dotAll } = context
  return {
    ...context,
    ignoreCase: (ignoreCase || flags.enable?.ignoreCase === true) && flags.disable?.ignoreCase !== true,
    dotAll: (dotAll || flags.enable?.dotAll === true) && flags.disable?.dotAll !== true,
  }
}

/**
 * Takes the flags that stand before the first alternative, which hold for all. Flags elsewhere reach to the end of
 * the group; engines differ on alternatives that follow them, so there must be none.
 */
export function withLeadingFlags(
  alternatives: readonly AlternativeNode[],
  outer: Context,
): { context: Context; bodies: readonly (readonly AlternativeElementNode[])[] } {
  let context = outer
  let first: readonly AlternativeElementNode[] = alternatives[0]?.body ?? []
  for (let head = first[0]; head?.type === 'Directive' && head.kind === 'flags'; head = first[0]) {
    context = withFlags(head.flags, context)
    first = first.slice(1)
  }
  const bodies = [first, ...alternatives.slice(1).map(({ body }) => body)]
  const isFlag = (node: AlternativeElementNode) => node.type === 'Directive' && node.kind === 'flags'
  if (bodies.slice(0, -1).some((body) => body.some(isFlag))) {
    unsupportedConstruct('an inline flag', 'may stand before all alternatives or in the last one')
  }
  return { context, bodies }
}
