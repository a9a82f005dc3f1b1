import { control, cut, type EncodeInput, type Part } from '../../prompt/parts.js'

/** What ChatGLM2 and ChatGLM3 put before every text. */
export const PREFIX: readonly Part[] = [control('[gMASK]'), control('sop')]

const EOS = control('<eos>')

/**
 * One text, or a pair: `build_inputs_with_special_tokens` of both tokenizers. The reference encodes the two texts of a
 * pair each by itself, hence the cut.
 */
export function chatglmText(text: EncodeInput, pair?: EncodeInput): Part[] {
  return pair === undefined
    ? [...PREFIX, ...asParts(text)]
    : [...PREFIX, ...asParts(text), cut, ...asParts(pair), EOS]
}

function asParts(input: EncodeInput): readonly Part[] {
  return Array.isArray(input) ? input : [input as Part]
}
