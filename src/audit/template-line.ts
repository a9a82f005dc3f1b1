import { readFile } from 'node:fs/promises'
import { JsonReader } from '../load/tokenizer-json/json-reader.js'

/**
 * In which line of its JSON file a chat template stands; undefined for a template that is a file of its own, or stands in
 * a file of another kind.
 *
 * @param source as `ChatTemplateSource` has it: the file, `: `, and the path inside, such as `$.chat_template[0].template`
 */
export async function templateLine(source: string): Promise<number | undefined> {
  const found = /^(.*): \$((?:\.\w+|\[\d+\])+)$/s.exec(source)
  if (found === null) return undefined
  const [, file, steps] = found as unknown as [string, string, string]
  const bytes = await readFile(file)
  const reader = new JsonReader(bytes, file, true)
  for (const [, key, index] of steps.matchAll(/\.(\w+)|\[(\d+)\]/g)) {
    const place = key === undefined ? element(reader, Number(index)) : reader.fields('$').get(key)
    if (place === undefined) return undefined
    reader.at = place
  }
  let line = 1
  for (const byte of bytes.subarray(0, reader.at)) if (byte === NEWLINE) line++
  return line
}

const NEWLINE = 10

function element(reader: JsonReader, wanted: number): number | undefined {
  let place: number | undefined
  reader.elements((index) => {
    if (index === wanted) place = reader.at
    reader.skip()
  })
  return place
}
