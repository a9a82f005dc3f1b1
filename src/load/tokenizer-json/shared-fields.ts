import type { SplitBehavior, TextPattern } from '../pipeline-spec.js'
import type { Fields } from './fields.js'

const BEHAVIORS: ReadonlyMap<string, SplitBehavior> = new Map([
  ['Removed', 'removed'],
  ['Isolated', 'isolated'],
  ['MergedWithPrevious', 'mergedWithPrevious'],
  ['MergedWithNext', 'mergedWithNext'],
  ['Contiguous', 'contiguous'],
])
const SCHEMES: ReadonlyMap<string, 'always' | 'first' | 'never'> = new Map([
  ['always', 'always'],
  ['first', 'first'],
  ['never', 'never'],
])

/** `pattern`: `{ "String": "x" }` or `{ "Regex": "x" }`. */
export function readPattern(fields: Fields): TextPattern {
  const pattern = fields.object('pattern')
  const [kind] = pattern.names
  if (pattern.names.length !== 1 || kind === undefined) {
    throw fields.error('pattern', 'an object with the one field "String" or "Regex" was expected')
  }
  if (kind !== 'String' && kind !== 'Regex') {
    throw pattern.unsupported(`pattern ${kind}`, 'known are String and Regex', kind)
  }
  const text = pattern.string(kind)
  return kind === 'String' ? { literal: text } : { regex: text, path: pattern.pathOf(kind) }
}

export function readBehavior(fields: Fields, fallback?: string): SplitBehavior {
  return fields.oneOf('behavior', BEHAVIORS, fallback)
}

/**
 * The fields of Metaspace, as pre-tokenizer and as decoder. Old files have `add_prefix_space` instead of
 * `prepend_scheme`, and `str_rep`, which says the same as `replacement`.
 */
export function readMetaspace(fields: Fields): {
  replacement: string
  prepend: 'always' | 'first' | 'never'
  split: boolean
} {
  const replacement = fields.character('replacement')
  fields.get('str_rep')
  const legacy = fields.get('add_prefix_space') === undefined ? undefined : fields.boolean('add_prefix_space')
  const prepend = fields.oneOf('prepend_scheme', SCHEMES, legacy === false ? 'never' : 'always')
  if (legacy === false && prepend !== 'never') {
    throw fields.error('add_prefix_space', `false contradicts the prepend_scheme ${prepend}`)
  }
  return { replacement, prepend, split: fields.boolean('split', true) }
}

/** ByteLevel's fields, which each of its roles writes and only some use. */
export function readByteLevel(fields: Fields): {
  addPrefixSpace: boolean
  trimOffsets: boolean
  useRegex: boolean
} {
  return {
    addPrefixSpace: fields.boolean('add_prefix_space'),
    trimOffsets: fields.boolean('trim_offsets'),
    useRegex: fields.boolean('use_regex', true),
  }
}
