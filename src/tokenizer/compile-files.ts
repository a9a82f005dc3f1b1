import { type CompiledModel, writeCompiled } from '../load/compiled/compiled-model.js'
import { VERSION } from '../version.js'
import { nativeModelOf } from './native-model.js'
import { pipelineInput } from './pipeline-input.js'

/**
 * The bytes of a compiled model.
 *
 * @throws UnsupportedTokenizerError for a split pattern that cannot be reproduced
 * @throws TokenizerFileError for tables that contradict each other
 */
export function compileFiles(model: CompiledModel): Uint8Array {
  const programs = new Map<string, Uint32Array>()
  if ('pieces' in model.spec) return writeCompiled(model, { programs, stored: undefined }, VERSION)
  // What takes long and depends on no option: reading patterns, and filling tables.
  const input = pipelineInput({ ...model.spec, programs, stored: undefined }, 'structural')
  const tokenizer = nativeModelOf(input, 0)
  try {
    return writeCompiled(model, { programs, stored: tokenizer.storedTables() }, VERSION)
  } finally {
    tokenizer.dispose()
  }
}
