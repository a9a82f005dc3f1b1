import { control, cut, type EncodeInput, type Part } from '../../prompt/parts.js'
import type { PromptWriter } from '../prompt-writer.js'

/** What ChatGLM2 and ChatGLM3 put before every text. */
const PREFIX = ['[gMASK]', 'sop'] as const

export function writePrefix(writer: PromptWriter): void {
  for (const name of PREFIX) writer.control(name)
}

const EOS = control('<eos>')

/**
 * One text, or a pair: `build_inputs_with_special_tokens` of both tokenizers. The reference encodes the two texts of a
 * pair each by itself, hence the cut.
 */
export function chatglmText(text: EncodeInput, pair?: EncodeInput): Part[] {
  const first = [...PREFIX.map((name) => control(name)), ...asParts(text)]
  return pair === undefined ? first : [...first, cut, ...asParts(pair), EOS]
}

/** Input as a list. */
export function asParts(input: EncodeInput): readonly Part[] {
  return Array.isArray(input) ? input : [input as Part]
}
