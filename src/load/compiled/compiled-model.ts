import { TokenizerFileError } from '../../errors.js'
import type { LoadWarning } from '../load-warning.js'
import type { ReadParts } from '../model-file.js'
import type { ModelFolder, TokenizerConfig } from '../model-folder.js'
import type { PipelineSpec } from '../pipeline-spec.js'
import type { TokenizerSpec } from '../tokenizer-spec.js'
import { partsOf, readContainer } from './container.js'
import { list, optional, ReadContext, record, type Shape, TableWriter, table, text } from './shape.js'
import * as shapes from './shapes.js'
import { writeContainer } from './write-container.js'

/** All that the readers of a model's files gave: see `ModelFiles`. */
export interface CompiledModel {
  readonly spec: TokenizerSpec | PipelineSpec
  readonly config: TokenizerConfig | undefined
  readonly folder: ModelFolder | undefined
  readonly warnings: readonly LoadWarning[]
}

type Stored = Omit<CompiledModel, 'spec'> & {
  /** The version of safetokens that wrote it, for people. */
  readonly writtenBy: string
  readonly spec:
    | Omit<TokenizerSpec, 'source' | 'file'>
    | Omit<PipelineSpec, 'source' | 'file' | 'programs' | 'stored' | 'mapping' | 'memory'>
  /** What the split patterns of the model compile to. */
  readonly programs: ReadonlyMap<string, Uint32Array>
  /** Tables of native code as they lie in memory, if the model has some: see native/core/stored_tables.hpp. */
  readonly stored: readonly Uint8Array[] | undefined
}

const shape: Shape<Stored> = record<Stored>({
  writtenBy: text,
  spec: shapes.spec,
  config: optional(shapes.config),
  folder: optional(shapes.folder),
  warnings: shapes.warnings,
  programs: shapes.programs,
  stored: optional(list(table(Uint8Array))),
})

/** Makes what reading needs, which takes a while: to be done while bytes are on their way. */
export function prepareReading(): Shape<Stored> {
  return shape
}

/**
 * The bytes of a compiled model.
 *
 * @param compiled what the split patterns of the model compile to, by their key, and the tables of native code
 */
export function writeCompiled(
  { spec, config, folder, warnings }: CompiledModel,
  compiled: Pick<Stored, 'programs' | 'stored'>,
  writtenBy: string,
): Uint8Array {
  // Tables of native code stand for merges, as a rule.
  const tables = new TableWriter(compiled.stored !== undefined)
  const flat = shape.write({ writtenBy, spec, config, folder, warnings, ...compiled }, tables)
  return writeContainer({ json: JSON.stringify(flat), tables: tables.tables, late: tables.late })
}

/**
 * Reads a compiled model.
 *
 * @param bytes the file, whole or all but its last part; tables of the model are views of it, so it must not change
 * @param read what is known of it besides, and who holds the bytes if native code can use them where they are
 * @throws TokenizerFileError where it is not what {@link writeCompiled} gives, with the byte or the JSON path
 * @throws UnsupportedTokenizerError for another version of the format
 */
export function readCompiled(
  bytes: Uint8Array,
  source: string,
  read: Partial<ReadParts> & Pick<PipelineSpec, 'mapping'> = {},
): CompiledModel {
  const { memory, mapping, last: late } = read
  const { first, last } = late === undefined ? partsOf(bytes, true) : { first: bytes, last: late }
  const { json, tables, secret } = readContainer(first, source, last, read.sums)
  const fail = (path: string, message: string) => new TokenizerFileError(source, path, message)
  let flat: unknown
  try {
    flat = JSON.parse(json)
  } catch (cause) {
    throw new TokenizerFileError(source, 'its JSON', (cause as Error).message, { cause })
  }
  const { spec, programs, stored, config, folder, warnings } = shape.read(flat, new ReadContext(tables, fail))
  const file = { bytes: first, secret }
  // Added to the object that was read, since a copy would list its added tokens.
  const sourced =
    'pieces' in spec
      ? { ...spec, source, file }
      : Object.assign(spec, { source, file, programs: new Map(programs), stored, mapping, memory })
  return { spec: sourced, config, folder, warnings }
}
