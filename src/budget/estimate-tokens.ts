import { InvalidArgumentError } from '../errors.js'
import { quoted } from '../load/quoted.js'

export interface EstimateOptions {
  /** `rounded-up` (default): `ceil(1.5 cjk + 0.3 all)`; `demo`: `int(1.5 cjk + 0.3 others) + 1`. */
  variant?: 'rounded-up' | 'demo' | undefined
}

/**
 * A guess at how many tokens a text has, without a model: 1.5 for each Chinese character (U+4E00 to U+9FFF), and 0.3 for
 * each code point. docs/budgets.md tells how wrong it is; where a tokenizer is at hand, `tokenizer.count` is exact.
 *
 * @throws InvalidArgumentError for what is no text, and for an unknown variant
 * @example estimateTokens('hello world')  // 4
 */
export function estimateTokens(text: string, { variant = 'rounded-up' }: EstimateOptions = {}): number {
  if (typeof text !== 'string')
    throw new InvalidArgumentError(`estimateTokens: a text was expected, not ${typeof text}`)
  let all = 0
  let chinese = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    const next = text.charCodeAt(i + 1)
    if (unit >= 0xd800 && unit <= 0xdbff && next >= 0xdc00 && next <= 0xdfff) i++
    all++
    if (unit >= 0x4e00 && unit <= 0x9fff) chinese++
  }
  if (variant === 'rounded-up') return Math.ceil(1.5 * chinese + 0.3 * all)
  if (variant === 'demo') return Math.floor(1.5 * chinese + 0.3 * (all - chinese)) + 1
  throw new InvalidArgumentError(`variant: 'rounded-up' or 'demo' was expected, not ${quoted(variant)}`)
}
