import type binding from '../../../binding.cjs'
import { InvalidArgumentError, UnsupportedTokenizerError } from '../../errors.js'
import addon from '../../native.js'
import { type CompiledModel, readCompiled } from './compiled-model.js'
import { partsOf } from './container.js'
import { isCompiled } from './header.js'

/**
 * Maps a compiled model instead of reading it, so that processes share the memory of its tables.
 *
 * @throws InvalidArgumentError when it is no compiled model
 * @throws UnsupportedTokenizerError where files cannot be mapped: on Windows, and where memory outside of V8 is refused
 * @throws TokenizerFileError, UnsupportedTokenizerError as {@link readCompiled}
 */
export function mapCompiled(file: string): CompiledModel {
  const [mapping, bytes] = mapped(file)
  if (isCompiled(bytes)) {
    const { first, last } = partsOf(bytes, false)
    return readCompiled(first, file, { mapping, last })
  }
  throw new InvalidArgumentError(`map: ${file} is no compiled model, and only they are mapped`)
}

function mapped(file: string): [binding.NativeFileMapping, Uint8Array] {
  try {
    const mapping = new addon.NativeFileMapping(file)
    return [mapping, mapping.bytes()]
  } catch (error) {
    throw new UnsupportedTokenizerError(file, 'map', (error as Error).message)
  }
}
