// Compiled models that are wrong on purpose.

import { type CompiledModel, readCompiled, writeCompiled } from '../../../src/load/compiled/compiled-model.js'
import { readContainer } from '../../../src/load/compiled/container.js'
import { firstLength } from '../../../src/load/compiled/header.js'
import { writeContainer } from '../../../src/load/compiled/write-container.js'
import addon from '../../../src/native.js'

/** The file with the checksums and the size that fit. */
export function sealed(file: Uint8Array): Uint8Array {
  const bytes = file.slice()
  new DataView(bytes.buffer).setBigUint64(32, BigInt(bytes.length), true)
  const lastAt = firstLength(bytes, bytes.length)
  bytes.set(addon.checksum(bytes.subarray(lastAt)), 72)
  bytes.set(addon.checksum(bytes.subarray(24, lastAt)), 8)
  return bytes
}

/** Where its last part begins. */
export function lastPart(file: Uint8Array): number {
  return firstLength(file, file.length)
}

/** The model with another spec. */
export function compiledAgain(
  file: Uint8Array,
  change: (model: CompiledModel) => CompiledModel['spec'],
): Uint8Array {
  const model = readCompiled(file, 'mutated')
  return writeCompiled(
    { ...model, spec: change(model) },
    { programs: new Map(), stored: undefined },
    'a test',
  )
}

/** A file with one thing changed: bytes anywhere, a number or a word in its JSON, or a value in one of its tables. */
export function mutated(file: Uint8Array, random: (below: number) => number): Uint8Array {
  const kind = random(4)
  if (kind === 0) {
    const bytes = file.slice()
    for (let i = random(4); i >= 0; i--) bytes[28 + random(bytes.length - 28)] = random(256)
    return sealed(bytes)
  }
  const { json, tables } = readContainer(file, 'mutated')
  if (kind === 1) return writeContainer({ json: mutatedJson(json, random), tables })
  const changed = tables.map((table) => table.slice())
  const table = changed[random(changed.length)]
  if (table !== undefined && kind === 2 && table.length > 0) {
    const values = [0, 1, 255, 2 ** 16, 2 ** 31, 2 ** 32 - 1, Number.NaN, -1, random(2 ** 20)]
    for (let i = random(3); i >= 0; i--) table[random(table.length)] = values[random(values.length)] as number
  }
  if (table !== undefined && kind === 3) {
    changed[changed.indexOf(table)] = table.subarray(0, random(table.length + 1)) as typeof table
  }
  return writeContainer({ json, tables: changed })
}

/** A file with numbers changed in the tables of native code, as many as may point out of memory; undefined without any. */
export function mutatedStored(file: Uint8Array, random: (below: number) => number): Uint8Array | undefined {
  const { json, tables } = readContainer(file, 'mutated')
  const { stored } = JSON.parse(json) as { stored: readonly number[] | null }
  if (stored === null) return undefined
  const changed = tables.map((table) => table.slice())
  const at = stored[random(stored.length)] as number
  const bytes = changed[at] as Uint8Array<ArrayBuffer>
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const values = [
    0,
    1,
    255,
    2 ** 16,
    2 ** 20 - 1,
    2 ** 31,
    2 ** 32 - 1,
    random(2 ** 24),
    random(2 ** 20) * 4096,
  ]
  for (let i = random(40); i >= 0 && bytes.length >= 4; i--) {
    view.setUint32(random(bytes.length >> 2) * 4, values[random(values.length)] as number, true)
  }
  if (random(6) === 0) changed[at] = bytes.slice(0, random(bytes.length + 1))
  if (random(6) === 0) bytes.fill(random(2) * 255, random(bytes.length + 1), random(bytes.length + 1))
  return writeContainer({ json, tables: changed })
}

function mutatedJson(json: string, random: (below: number) => number): string {
  const places = [...json.matchAll(/true|false|null|\d+|"[^"]{0,20}"/g)]
  const place = places[random(places.length)] as RegExpExecArray
  const values = [
    'true',
    'false',
    'null',
    '0',
    '1',
    '-1',
    '1e300',
    '4294967295',
    '"x"',
    '""',
    '[]',
    '{}',
    '"__proto__"',
  ]
  const value = values[random(values.length)] as string
  return json.slice(0, place.index) + value + json.slice(place.index + place[0].length)
}
