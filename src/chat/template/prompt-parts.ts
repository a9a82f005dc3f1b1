import { type Part, trusted } from '../../prompt/parts.js'
import type { OriginText } from './origin-text.js'

/** A stretch of a rendered template: what a part of a prompt is made of, with the path that it came from. */
export interface TemplatePart {
  readonly kind: 'trusted' | 'data'
  /** Where data came from, for example `messages[2].content`. */
  readonly path?: string
  readonly text: string
}

/** The runs of a text with their paths, in order. Empty data stays: it is a barrier. */
export function toTemplateParts(text: OriginText): readonly TemplatePart[] {
  return text.runs.map(({ start, end, origin }) => {
    const piece = text.text.slice(start, end)
    return origin === null
      ? { kind: 'trusted', text: piece }
      : { kind: 'data', path: origin.path, text: piece }
  })
}

/**
 * The parts of a prompt, as `Tokenizer.encode` takes them: trusted runs may name control tokens, data never can.
 * Neighbouring data of several origins are one part.
 *
 * @example tokenizer.encode(toParts(template.render({ messages }).text))
 */
export function toParts(text: OriginText): readonly Part[] {
  const parts: Part[] = []
  text.forEachRun((start, end, origin) => {
    const piece = text.text.slice(start, end)
    const last = parts.at(-1)
    if (origin === null) parts.push(trusted(piece))
    else if (typeof last === 'string') parts[parts.length - 1] = last + piece
    else parts.push(piece)
  })
  return parts
}
