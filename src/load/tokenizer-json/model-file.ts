import type { ModelSpec } from '../pipeline-spec.js'
import { Fields } from './fields.js'
import type { JsonReader, JsonValue } from './json-reader.js'
import type { VocabularyIndex } from './native-vocabulary.js'
import type { NativeTables } from './vocabulary.js'

/** The object `model` of a tokenizer.json. */
export interface ModelFile {
  readonly reader: JsonReader
  /** Where each field's value begins. */
  readonly places: ReadonlyMap<string, number>
  /** The fields that are small. */
  readonly fields: Fields
  /** Those that are big, as far as they have been read. */
  readonly tables: NativeTables
}

/** What the reader of a kind of model gives. */
export interface ReadModel {
  readonly model: ModelSpec
  /** The vocabulary as the file writes it. */
  readonly vocabulary: VocabularyIndex
}

/** These are read where they lie; the others become values. */
const BIG = ['vocab', 'merges']

export function modelFile(
  reader: JsonReader,
  places: ReadonlyMap<string, number>,
  tables: NativeTables,
): ModelFile {
  const values = new Map<string, JsonValue>()
  for (const [name, at] of places) if (!BIG.includes(name)) values.set(name, reader.valueAt(at))
  return { reader, places, fields: new Fields(reader.source, '$.model', values), tables }
}

/** Where the value of a field begins, which must be there. */
export function placeOf({ reader, places }: ModelFile, name: string): number {
  const place = places.get(name)
  if (place === undefined) throw reader.error(`$.model.${name}`, 'it is missing')
  return place
}
