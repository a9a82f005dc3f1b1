import { InvalidArgumentError } from '../errors.js'
import { ControlToken, type Part, TrustedText, trusted } from './parts.js'

/** What may stand in a `${}` of a prompt. Strings are data. */
export type PromptValue = string | number | bigint | boolean | TrustedText | ControlToken

/**
 * The parts of a tagged template: literals trusted, values data.
 *
 * Only a real tagged call counts. JavaScript gives its tag a frozen array with a frozen `raw` array; no array from
 * JSON has that property, so request data cannot pass for literals.
 *
 * @throws InvalidArgumentError when `literals` does not come from a tagged template, for a literal with an invalid
 *   escape, and for a value of another type
 */
export function promptParts(literals: TemplateStringsArray, values: readonly PromptValue[]): Part[] {
  if (!isTemplate(literals) || values.length !== literals.length - 1) {
    throw new InvalidArgumentError(
      'prompt: use it as a tag (tokenizer.prompt followed by a template literal), not as a function',
    )
  }
  return literals.flatMap((literal, i) => {
    if (literal === undefined) {
      throw new InvalidArgumentError(
        `prompt: literal ${i} has an escape that means nothing: ${literals.raw[i]}`,
      )
    }
    return i < values.length ? [trusted(literal), valuePart(values[i], i)] : [trusted(literal)]
  })
}

function isTemplate(literals: unknown): literals is TemplateStringsArray {
  if (!Array.isArray(literals) || !Object.isFrozen(literals)) return false
  const raw: unknown = Object.getOwnPropertyDescriptor(literals, 'raw')?.value
  return Array.isArray(raw) && Object.isFrozen(raw) && raw.length === literals.length
}

function valuePart(value: unknown, i: number): Part {
  if (typeof value === 'string' || TrustedText.is(value) || ControlToken.is(value)) return value
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value)
  throw new InvalidArgumentError(
    `prompt: value ${i} must be a string, number, bigint, boolean, trusted() or control(), not ${value === null ? 'null' : typeof value}`,
  )
}
