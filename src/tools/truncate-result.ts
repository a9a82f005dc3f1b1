import { InvalidArgumentError } from '../errors.js'
import type { Tokenizer } from '../tokenizer/tokenizer.js'
import type { ResultLimit } from './types.js'

/** How long results may be, as known programs have it. */
export const TRUNCATION: Readonly<Record<'chatglm3-demo' | 'adapter', ResultLimit>> = Object.freeze({
  /** The tool demo of ChatGLM3 cuts after 1,024 characters. */
  'chatglm3-demo': { unit: 'characters', max: 1024 },
  /** What adapters for agents use. */
  adapter: { unit: 'characters', max: 2000 },
})

const MARK = ' [TRUNCATED]'

/**
 * A text of at most so many characters (code points) or tokens, with a visible mark behind it where something is missing.
 *
 * @throws InvalidArgumentError for a limit that is none, and for tokens without a tokenizer
 */
export function truncateResult(
  text: string,
  limit: ResultLimit | undefined,
  tokenizer: Tokenizer | undefined,
): { readonly text: string; readonly truncated: boolean } {
  if (limit === undefined) return { text, truncated: false }
  const { unit, max, mark = MARK } = limit
  if (!Number.isSafeInteger(max) || max < 0 || (unit !== 'characters' && unit !== 'tokens')) {
    throw new InvalidArgumentError(
      'limit: { unit: characters or tokens, max: a whole number from 0 } was expected',
    )
  }
  const kept = unit === 'characters' ? characters(text, max) : tokens(text, max, tokenizer)
  return kept.length === text.length ? { text, truncated: false } : { text: kept + mark, truncated: true }
}

function characters(text: string, max: number): string {
  if (text.length <= max) return text
  let at = 0
  for (let count = 0; count < max && at < text.length; count++) {
    at += (text.codePointAt(at) as number) > 0xffff ? 2 : 1
  }
  return text.slice(0, at)
}

/** Cut in front of the first character of a token that is too much, so that no character is halved. */
function tokens(text: string, max: number, tokenizer: Tokenizer | undefined): string {
  if (tokenizer === undefined) {
    throw new InvalidArgumentError(
      'limit: tokens can only be counted with a tokenizer: toolRegistry(tools, { tokenizer })',
    )
  }
  const { ids, offsets } = tokenizer.encode(text, { offsets: true })
  if (ids.length <= max) return text
  return text.slice(0, offsets[2 * max])
}
