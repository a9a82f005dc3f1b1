import type { AddedTokenSpec } from '../pipeline-spec.js'
import { quoted } from '../quoted.js'
import type { FolderToken, FolderTokens } from '../special-tokens.js'
import { MAX_ID } from '../token-table.js'
import { Fields } from './fields.js'
import type { JsonValue } from './json-reader.js'
import type { VocabularyIndex } from './native-vocabulary.js'

/**
 * Reads `added_tokens`. Hugging Face's library takes the ids of those that the vocabulary holds from there and numbers
 * the others from the size of the vocabulary on, whatever the file says. A file that says otherwise means ids that
 * the reference does not give, so it is refused.
 */
export function readAddedTokens(
  source: string,
  value: JsonValue | undefined,
  vocabulary: VocabularyIndex,
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
    if (seen.has(token.content)) throw fields.error('content', `${quoted(token.content)} occurs twice`)
    seen.add(token.content)
    const bytes = new TextEncoder().encode(token.content)
    const found = vocabulary.find(bytes, 0, bytes.length)
    const expected = found >= 0 ? found : next++
    if (token.id !== expected) {
      const reason =
        found >= 0 ? 'the vocabulary gives it' : 'Hugging Face numbers added tokens behind the vocabulary:'
      throw fields.error('id', `${quoted(token.content)} has the id ${token.id}, but ${reason} ${expected}`)
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

/**
 * The added tokens of a `tokenizer.json`, with those of the folder's configs. A token of a config replaces the flags of
 * one that is there; a special one stays special. New ones are numbered behind all others.
 *
 * Source of behaviour: `TokenizersBackend.__init__` of transformers 5.23.0 and `add_tokens` of tokenizers 0.23.3.
 */
export function addFolderTokens(
  tokens: readonly AddedTokenSpec[],
  vocabulary: VocabularyIndex,
  folder: FolderTokens,
): AddedTokenSpec[] {
  const all = new Map(tokens.map((token) => [token.content, token]))
  const ids = new Set(tokens.map(({ id }) => id))
  let next = tokens.reduce((next, { id }) => Math.max(next, id + 1), vocabulary.count)
  const add = (token: FolderToken): void => {
    const { content } = token
    if (content === '') return
    const old = all.get(content)
    const bytes = new TextEncoder().encode(content)
    const found = old?.id ?? vocabulary.find(bytes, 0, bytes.length)
    const id = found >= 0 ? found : next++
    if (id >= next) next = id + 1
    all.set(content, { ...token, id, special: token.special || old?.special === true })
  }
  // Where added_tokens.json counts, the reference adds the file's own tokens once more: what has a name is special then.
  const names = new Set(folder.yields ? folder.named.values() : [])
  const inFile = tokens.map((token) => ({ ...token, special: token.special || names.has(token.content) }))
  const listed = folder.yields
    ? [...inFile, ...folder.listed.filter(({ id }) => !ids.has(id))].sort((a, b) => a.id - b.id)
    : folder.listed
  const known = new Set([...all.keys(), ...listed.map(({ content }) => content)])
  listed.forEach(add)
  folder.special.filter(({ content }) => !known.has(content)).forEach(add)
  return [...all.values()]
}
