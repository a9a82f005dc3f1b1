// What an audit looks at: a model's files, our way from text to ids, and the usual one.

import type { ChatOptions } from '../chat/chat-options.js'
import type { ChatSetup } from '../chat/chat-setup.js'
import { loadChat } from '../chat/load-chat.js'
import type { Prompt } from '../chat/prompt-writer.js'
import { ChatFormatError } from '../errors.js'
import type { ChatTemplateSource } from '../load/chat-templates.js'
import { type ModelFiles, readModelFiles } from '../load/model-files.js'
import { commandsFor } from '../tokenizer/commands.js'
import type { ReservePolicy } from '../tokenizer/reserve-policy.js'
import { Tokenizer } from '../tokenizer/tokenizer.js'
import { type UsualChat, usualChat } from './usual-path/usual-chat.js'
import { type UsualTokenizer, usualTokenizer } from './usual-path/usual-tokenizer.js'

/** How text and prompts become ids: ours, or in tests a broken one. */
export interface Encoder {
  /** Ids of a text that is data. */
  encodeText(text: string): ArrayLike<number>
  encodePrompt(prompt: Prompt): Uint32Array
  /** Begin and end of what each id stands for in `prompt.text`, in UTF-16 units. */
  promptOffsets(prompt: Prompt): Uint32Array
}

export interface AuditTarget {
  readonly path: string
  readonly files: ModelFiles
  readonly tokenizer: Tokenizer
  readonly reservePolicy: ReservePolicy
  readonly encoder: Encoder
  /** Undefined for a model without a chat, such as a base model. */
  readonly chat: ChatSetup | undefined
  /** Why there is none. */
  readonly noChat: string | undefined
  /** The chat template that is used; undefined where a built-in format writes the prompts. */
  readonly template: ChatTemplateSource | undefined
  readonly usual: UsualTokenizer
  /** Undefined where the usual path has no template of its own, and takes our text. */
  readonly usualChat: UsualChat | undefined
}

export interface TargetOptions extends Pick<ChatOptions, 'format' | 'compat' | 'reserve'> {
  /** Stands in for our own encoder. For tests of the audit itself. */
  readonly encoder?: ((tokenizer: Tokenizer) => Encoder) | undefined
}

/** The clock of templates that write the date, so that reports are the same every day. */
const NOW = (): Date => new Date(2024, 6, 26, 12)

/** @throws the errors of `Tokenizer.load`; SafetokensError `MISSING_PACKAGE` without the packages of the usual path */
export async function auditTarget(path: string, options: TargetOptions = {}): Promise<AuditTarget> {
  const files = await readModelFiles(path)
  const { chat, noChat } = await findChat(path, options)
  const tokenizer =
    chat?.tokenizer ??
    Tokenizer.fromSpec(files.spec, { reserve: options.reserve, commands: commandsFor(files.config) }, files)
  const template = chat?.format === undefined ? files.folder?.chatTemplates.get('default') : undefined
  const specialTokens = Object.fromEntries(files.folder?.tokens.named ?? [])
  return {
    path,
    files,
    tokenizer,
    reservePolicy: options.reserve ?? 'structural',
    encoder: (options.encoder ?? safeEncoder)(tokenizer),
    chat,
    noChat,
    template,
    usual: await usualTokenizer(files.spec, tokenizer),
    usualChat: template && (await usualChat(template.text, specialTokens)),
  }
}

/** Our own way. */
export function safeEncoder(tokenizer: Tokenizer): Encoder {
  return {
    encodeText: (text) => tokenizer.encode(text),
    encodePrompt: (prompt) => tokenizer.encodePacked(prompt),
    promptOffsets: (prompt) => tokenizer.packedOffsets(prompt),
  }
}

async function findChat(
  path: string,
  { format, compat, reserve }: TargetOptions,
): Promise<{ chat: ChatSetup | undefined; noChat: string | undefined }> {
  try {
    return { chat: await loadChat(path, { format, compat, reserve, now: NOW }), noChat: undefined }
  } catch (error) {
    if (!(error instanceof ChatFormatError) || format !== undefined) throw error
    return { chat: undefined, noChat: error.message }
  }
}
