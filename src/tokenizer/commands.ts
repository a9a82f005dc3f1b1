import type { TokenizerConfig } from '../load/model-files.js'

/**
 * Control tokens behind the text vocabulary: the ids after the last piece, in this order. No text can spell them,
 * because the vocabulary does not hold them.
 */
export interface CommandSet {
  readonly names: readonly string[]
  /** Further names for ids of the vocabulary, known to `getCommand` and `control()` but not matched in text. */
  readonly aliases?: Readonly<Record<string, number>> | undefined
}

/**
 * ChatGLM3's nine commands (ids 64789 to 64797 behind its 64,789 pieces).
 * Source: `SPTokenizer` in tokenization_chatglm.py of THUDM/ChatGLM3@b0b4e8ac.
 */
export const CHATGLM3_COMMANDS: CommandSet = {
  names: [
    '[MASK]',
    '[gMASK]',
    '[sMASK]',
    'sop',
    'eop',
    '<|system|>',
    '<|user|>',
    '<|assistant|>',
    '<|observation|>',
  ],
  aliases: { '<bos>': 1, '<eos>': 2, '<unk>': 0, '<pad>': 0 },
}

/** What `tokenizer_config.json` says about commands; undefined when it says nothing. */
export function commandsFor(config: TokenizerConfig | undefined): CommandSet | undefined {
  return isChatGlm3(config) ? CHATGLM3_COMMANDS : undefined
}

/**
 * ChatGLM2 and ChatGLM3 share a tokenizer class and a `.model`; only ChatGLM3 has role tokens. Its published
 * configs name the model, or list the role tokens among the added tokens.
 */
export function isChatGlm3(config: TokenizerConfig | undefined): boolean {
  if (config?.tokenizer_class !== 'ChatGLMTokenizer') return false
  const added = Object.values(config.added_tokens_decoder ?? {})
  return /chatglm3/i.test(config.name_or_path ?? '') || added.some((token) => token.content === '<|user|>')
}
