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

/**
 * ChatGLM2's five commands; CodeGeeX2 has the same.
 * Source: `SPTokenizer` in tokenization_chatglm.py of THUDM/chatglm2-6b.
 */
export const CHATGLM2_COMMANDS: CommandSet = {
  names: ['[MASK]', '[gMASK]', '[sMASK]', 'sop', 'eop'],
  aliases: { '<bos>': 1, '<eos>': 2, '<pad>': 0 },
}

const CHATGLM_COMMANDS: Readonly<Record<ChatGlmKind, CommandSet>> = {
  chatglm3: CHATGLM3_COMMANDS,
  chatglm2: CHATGLM2_COMMANDS,
  codegeex2: CHATGLM2_COMMANDS,
}

/** What `tokenizer_config.json` says about commands; undefined when it says nothing. */
export function commandsFor(config: TokenizerConfig | undefined): CommandSet | undefined {
  const kind = chatGlmKind(config)
  return kind && CHATGLM_COMMANDS[kind]
}

export type ChatGlmKind = 'chatglm2' | 'chatglm3' | 'codegeex2'

/**
 * Which model of the family a config belongs to. All share a tokenizer class, and ChatGLM2 and 3 even the `.model`;
 * what tells them apart is the model's name, or ChatGLM3's role tokens among the added tokens. Without either there
 * is no answer.
 */
export function chatGlmKind(config: TokenizerConfig | undefined): ChatGlmKind | undefined {
  if (config?.tokenizer_class !== 'ChatGLMTokenizer') return undefined
  const named = /chatglm[23]|codegeex2/i.exec(config.name_or_path ?? '')?.[0]?.toLowerCase() as
    | ChatGlmKind
    | undefined
  const added = Object.values(config.added_tokens_decoder ?? {})
  return named ?? (added.some((token) => token.content === '<|user|>') ? 'chatglm3' : undefined)
}
