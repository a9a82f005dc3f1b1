import { believableWindow } from '../budget/context-window.js'
import { ChatFormatError, InvalidArgumentError } from '../errors.js'
import { type EosToken, eosTokens } from '../load/eos-tokens.js'
import type { ModelLimits } from '../load/model-folder.js'
import { templateProtocol, toolProtocol } from '../output/protocols/registry.js'
import { TurnMemory } from '../output/turn-memory.js'
import type { ToolProtocol } from '../output/types.js'
import type { Tokenizer } from '../tokenizer/tokenizer.js'
import type { ChatOptions } from './chat-options.js'
import { FormatPrompts } from './format-prompts.js'
import type { ChatFormat } from './formats/format.js'
import type { Compat } from './messages.js'
import type { PromptMaker } from './prompt-maker.js'
import { templateGuarantee } from './template-guarantee.js'
import { TemplatePrompts, type Templates } from './template-prompts.js'

/** What a `Chat` is made of. */
export interface ChatSetup {
  readonly tokenizer: Tokenizer
  readonly prompts: PromptMaker
  readonly compat: Compat
  /** The built-in or registered format; undefined for a chat template. */
  readonly format: ChatFormat | undefined
  /** Ids at which generation must stop, and who says so. */
  readonly eosTokens: readonly EosToken[]
  readonly padTokenId: number | undefined
  /** How many tokens the model takes, if its files say so. */
  readonly contextWindow: number | undefined
  /** How the model writes its turns. */
  readonly protocol: ToolProtocol
  /** The ids of turns that were read. */
  readonly memory: TurnMemory
}

/** What a model's folder says about its chats. */
export interface ChatFolder {
  /** Its path, for messages. */
  readonly source: string
  readonly specialTokens: Readonly<Record<string, string>>
  readonly generationEos: readonly EosToken[]
  readonly limits?: ModelLimits | undefined
}

/**
 * A chat in a built-in or registered format.
 *
 * @throws ChatFormatError when the vocabulary lacks a control token of the format
 */
export function formatSetup(
  tokenizer: Tokenizer,
  format: ChatFormat,
  options: ChatOptions,
  folder: ChatFolder,
): ChatSetup {
  const compat = checkCompat(options.compat)
  checkVocabulary(folder.source, format, tokenizer)
  const resolve = remembered((name) => tokenizer.getCommand(name))
  const stops = format.stopTokens.filter((name) => tokenizer.hasCommand(name)).map(resolve)
  const protocol = toolProtocol(options.toolProtocol ?? format.toolProtocol ?? 'text')
  const memory = new TurnMemory()
  const recall = compat === 'safe' ? { memory, tokenizer, protocol } : undefined
  return {
    tokenizer,
    prompts: new FormatPrompts(format, compat, resolve, options.now, recall),
    compat,
    format,
    eosTokens: eosTokens(stops, folder.generationEos, idOf(tokenizer, folder.specialTokens.eos_token)),
    protocol,
    memory,
    padTokenId: idOf(tokenizer, format.padToken) ?? idOf(tokenizer, folder.specialTokens.pad_token),
    contextWindow: believableWindow(folder.limits),
  }
}

/**
 * A chat by a chat template.
 *
 * @param chosen the template is not the model's own, so it may be a wrong one
 * @throws ChatFormatError when the marks of a chosen template are missing from the vocabulary
 */
export function templateSetup(
  tokenizer: Tokenizer,
  templates: Templates,
  options: ChatOptions,
  folder: ChatFolder,
  chosen: boolean,
): ChatSetup {
  const compat = checkCompat(options.compat)
  const specialTokens = { ...folder.specialTokens, ...options.specialTokens }
  const guarantee = templateGuarantee({
    template: templates.plain,
    specialTokens,
    find: (text) => tokenizer.findReserved(text),
    chosen: chosen && !options.textualMarkers,
    source: folder.source,
  })
  const protocol =
    options.toolProtocol === undefined
      ? templateProtocol([...templates.plain.literals, ...(templates.withTools?.literals ?? [])])
      : toolProtocol(options.toolProtocol)
  const memory = new TurnMemory()
  const eos = eosTokens([], folder.generationEos, idOf(tokenizer, specialTokens.eos_token))
  return {
    tokenizer,
    prompts: new TemplatePrompts({
      templates,
      specialTokens,
      guarantee,
      compat,
      roles: options.roles ?? [],
      now: options.now,
      resolve: (name) => tokenizer.getCommand(name),
      recall: compat === 'safe' ? { memory, tokenizer, protocol } : undefined,
      stops: eos.map(({ id }) => tokenizer.controlName(id)).filter((name) => name !== ''),
    }),
    compat,
    format: undefined,
    protocol,
    memory,
    eosTokens: eos,
    padTokenId: idOf(tokenizer, specialTokens.pad_token),
    contextWindow: believableWindow(folder.limits),
  }
}

/** A format asks for the same few names in every turn. */
function remembered(resolve: (name: string) => number): (name: string) => number {
  const ids = new Map<string, number>()
  return (name) => {
    const known = ids.get(name)
    if (known !== undefined) return known
    const id = resolve(name)
    if (ids.size < 1000) ids.set(name, id)
    return id
  }
}

function idOf(tokenizer: Tokenizer, name: string | undefined): number | undefined {
  return name !== undefined && tokenizer.hasCommand(name) ? tokenizer.getCommand(name) : undefined
}

function checkCompat(compat: Compat = 'safe'): Compat {
  if (compat === 'safe' || compat === 'exact') return compat
  throw new InvalidArgumentError(`compat must be 'safe' or 'exact', not ${JSON.stringify(compat)}`)
}

/** A format writes control tokens; a model that lacks one was trained on another format. */
function checkVocabulary(source: string, format: ChatFormat, tokenizer: Tokenizer): void {
  const missing = format.controlTokens.filter((name) => !tokenizer.hasCommand(name))
  if (missing.length === 0) return
  throw new ChatFormatError(
    `${source}: the format ${format.name} does not fit this model, whose vocabulary lacks ${missing.join(' ')}`,
  )
}
