import type { AddedTokenSpec } from '../pipeline-spec.js'
import { MAX_ID } from '../token-table.js'
import { Fields } from './fields.js'
import type { JsonValue } from './json-reader.js'
import type { TokenIndex } from './token-index.js'

/**
 * Reads `added_tokens`. Hugging Face's library takes the ids of those that the vocabulary holds from there and numbers
 * the others from the size of the vocabulary on, whatever the file says. A file that says otherwise means ids that
 * the reference does not give, so it is refused.
 */
export function readAddedTokens(
  source: string,
  value: JsonValue | undefined,
  vocabulary: TokenIndex,
): AddedTokenSpec[] {
  const tokens: AddedTokenSpec[] = []
  if (value === undefined || value === null) return tokens
  const list = new Fields(source, '$', new Map([['added_tokens', value]])).list('added_tokens')
  const seen = new Set<string>()
  let next = vocabulary.count
  list.forEach((item, i) => {
    const fields = new Fields(source, `$.added_tokens[${i}]`, item)
    const token = readToken(fields)
    if (token.content === '') return // Hugging Face ignores it too
    if (seen.has(token.content))
      throw fields.error('content', `${JSON.stringify(token.content)} occurs twice`)
    seen.add(token.content)
    const bytes = new TextEncoder().encode(token.content)
    const found = vocabulary.find(bytes, 0, bytes.length)
    const expected = found >= 0 ? found : next++
    if (token.id !== expected) {
      const reason =
        found >= 0 ? 'the vocabulary gives it' : 'Hugging Face numbers added tokens behind the vocabulary:'
      throw fields.error(
        'id',
        `${JSON.stringify(token.content)} has the id ${token.id}, but ${reason} ${expected}`,
      )
    }
    tokens.push(token)
  })
  return tokens
}

function readToken(fields: Fields): AddedTokenSpec {
  const id = fields.integer('id')
  if (id >= MAX_ID) throw fields.error('id', `an id below ${MAX_ID} was expected, not ${id}`)
  const token: AddedTokenSpec = {
    id,
    content: fields.string('content'),
    singleWord: fields.boolean('single_word'),
    lstrip: fields.boolean('lstrip'),
    rstrip: fields.boolean('rstrip'),
    normalized: fields.boolean('normalized'),
    special: fields.boolean('special'),
  }
  fields.end()
  return token
}
