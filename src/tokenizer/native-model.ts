import type binding from '../../binding.cjs'
import { InvalidArgumentError, TokenizerFileError } from '../errors.js'
import addon from '../native.js'
import type { CompileInput } from './compile-input.js'
import { typedError } from './native-call.js'

/**
 * A handle on the compiled model, which all threads of the process share.
 *
 * @throws InvalidArgumentError for `memoBytes` that is no whole number of bytes
 * @throws TokenizerFileError for tables that contradict each other
 */
export function nativeModelOf(input: CompileInput, memoBytes: number): binding.NativeTokenizer {
  if (!Number.isSafeInteger(memoBytes) || memoBytes < 0) {
    throw new InvalidArgumentError(
      `memoBytes: a whole number of bytes was expected, not ${String(memoBytes)}`,
    )
  }
  try {
    return new addon.NativeTokenizer({ key: modelKey(input), ...input.native }, memoBytes)
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'MERGES_NEEDED' && 'model' in input.native && input.modelWithMerges !== undefined) {
      const native = { ...input.native, model: input.modelWithMerges() }
      return nativeModelOf({ ...input, native }, memoBytes)
    }
    if (code === 'INVALID_MODEL') {
      const [place = '', ...reason] = (error as Error).message.split(': ')
      const where = placeInFile(input, place)
      throw new TokenizerFileError(input.source, where, reason.join(': '), { cause: error })
    }
    if (code === 'INVALID_PATTERN') {
      throw new TokenizerFileError(input.source, 'split pattern', (error as Error).message, { cause: error })
    }
    throw typedError(error)
  }
}

/** The core knows tables, not files: where its complaint belongs in a tokenizer.json. */
function placeInFile({ semantics }: CompileInput, place: string): string {
  if (semantics !== 'huggingface') return place
  if (place === 'precompiled_charsmap') return '$.normalizer.precompiled_charsmap'
  return place === 'added tokens' ? '$.added_tokens' : place
}

/**
 * Equal for models that compile to the same tables, in whatever thread and from whatever file. Long tables count by their
 * fingerprint, those of a compiled model by that of its file and their places, everything else as JSON, in which each other
 * table leaves its length.
 */
function modelKey({ native, file }: CompileInput): string {
  const prints: Uint8Array[] = file === undefined ? [] : [file.secret]
  const rest = JSON.stringify(native, (name, value: unknown) => {
    // The same bytes, wherever they are.
    if (name === 'memory') return undefined
    // Thousands of strings, each of which would come here.
    if (name === 'controlNames') return JSON.stringify(value)
    if (!ArrayBuffer.isView(value)) return value
    const { buffer, byteOffset, byteLength } = value
    if (buffer === file?.bytes.buffer) return [byteOffset - file.bytes.byteOffset, byteLength]
    prints.push(addon.secretFingerprint(new Uint8Array(buffer, byteOffset, byteLength)))
    return byteLength
  })
  // How many fingerprints there are is in the JSON, so that nothing of it can pass for one.
  const key = addon.secretFingerprint(Buffer.concat([Buffer.from(rest), ...prints]))
  return Buffer.from(key).toString('base64')
}
