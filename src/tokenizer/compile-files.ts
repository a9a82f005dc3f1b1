import { type CompiledModel, writeCompiled } from '../load/compiled/compiled-model.js'
import { VERSION } from '../version.js'
import { pipelineInput } from './pipeline-input.js'

/**
 * The bytes of a compiled model.
 *
 * @throws UnsupportedTokenizerError for a split pattern that cannot be reproduced
 */
export function compileFiles(model: CompiledModel): Uint8Array {
  const programs = new Map<string, Uint32Array>()
  // Reading its patterns is what takes longest of what depends on no option.
  if (!('pieces' in model.spec)) pipelineInput({ ...model.spec, programs }, 'structural')
  return writeCompiled(model, programs, VERSION)
}
