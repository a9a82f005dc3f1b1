import path from 'node:path'
import type { EncodingName, RankEncoding } from './encodings.js'
import { isGguf, isRankFile, isTekken } from './file-kinds.js'
import { readGguf } from './gguf/gguf.js'
import type { PipelineSpec } from './pipeline-spec.js'
import { readSentencePieceModel } from './sentencepiece-model.js'
import type { FolderTokens } from './special-tokens.js'
import { readTekken } from './tekken.js'
import { readRankFile } from './tiktoken.js'
import { readTokenizerJson } from './tokenizer-json.js'
import type { TokenizerSpec } from './tokenizer-spec.js'

/**
 * Reads a tokenizer from the bytes of its file, whose kind is told by its name and first bytes.
 *
 * @param encoding of a rank file that is not known by its hash
 * @param added tokens that the configs of its folder add to a `tokenizer.json`
 */
export function readTokenizer(
  bytes: Uint8Array,
  source: string,
  encoding?: EncodingName | RankEncoding,
  added?: FolderTokens,
): TokenizerSpec | PipelineSpec {
  const extension = path.extname(source)
  if (extension === '.json' || startsWith(bytes, '{')) {
    return isTekken(bytes) ? readTekken(bytes, source) : readTokenizerJson(bytes, source, added)
  }
  if (extension === '.gguf' || isGguf(bytes)) return readGguf(bytes, source).spec
  if (extension === '.tiktoken' || isRankFile(bytes)) return readRankFile(bytes, source, encoding)
  return readSentencePieceModel(bytes, source)
}

function startsWith(bytes: Uint8Array, ascii: string): boolean {
  return bytes.length >= ascii.length && [...ascii].every((c, i) => bytes[i] === c.charCodeAt(0))
}
