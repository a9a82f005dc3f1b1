import { ChatFormatError, InvalidArgumentError } from '../errors.js'
import { readModelFiles, type TokenizerConfig } from '../load/model-files.js'
import { chatGlmKind } from '../tokenizer/commands.js'
import type { ReservePolicy } from '../tokenizer/reserve-policy.js'
import { Tokenizer } from '../tokenizer/tokenizer.js'
import { FormatPrompts } from './format-prompts.js'
import type { ChatFormat } from './formats/format.js'
import { type BuiltInFormatName, chatFormat, chatFormats, checkFormat } from './formats/registry.js'
import type { Compat } from './messages.js'
import type { PromptMaker } from './prompt-maker.js'
import { type ChatTemplate, compileTemplate } from './template/template.js'
import { templateGuarantee } from './template-guarantee.js'
import { TemplatePrompts } from './template-prompts.js'

export interface ChatOptions {
  /** The chat format, by name or your own. Default: see `Chat.load`. */
  format?: BuiltInFormatName | (string & {}) | ChatFormat | undefined
  /** The source of a chat template in Jinja, in place of the model's own. */
  chatTemplate?: string | undefined
  /** Values of `bos_token`, `eos_token` and so on for a chat template. Default: those of the model's folder. */
  specialTokens?: Readonly<Record<string, string>> | undefined
  /**
   * Further roles for a chat template. Templates compose control tokens of roles (`'<|' + role + '|>'`), so never take
   * them from a request.
   */
  roles?: readonly string[] | undefined
  /**
   * The marks of `chatTemplate` (`<|user|>`) are plain text in this model, as in Zephyr and Tulu: without it, a template
   * whose marks the vocabulary lacks is taken for a wrong one. Default false.
   */
  textualMarkers?: boolean | undefined
  /** `safe` (default) refuses input that the reference would take silently; `exact` reproduces its quirks. */
  compat?: Compat | undefined
  /** Which ids no text may produce. Default `structural`. */
  reserve?: ReservePolicy | undefined
  /** The clock of formats and templates that write the date. Default: the system's. */
  now?: (() => Date) | undefined
}

/** What a `Chat` is made of. */
export interface ChatSetup {
  readonly tokenizer: Tokenizer
  readonly prompts: PromptMaker
  readonly compat: Compat
  /** The built-in or registered format; undefined for a chat template. */
  readonly format: ChatFormat | undefined
  readonly eosTokenIds: readonly number[]
  readonly padTokenId: number | undefined
}

/** Reads a model and chooses how its chats are written. */
export async function loadChat(modelPath: string, options: ChatOptions): Promise<ChatSetup> {
  const { spec, config } = await readModelFiles(modelPath)
  const format = chooseFormat(modelPath, options.format ?? chatGlmKind(config), config)
  const tokenizer = Tokenizer.fromSpec(spec, { commands: format.commands, reserve: options.reserve })
  return formatSetup(tokenizer, format, options, modelPath)
}

/** A chat over a tokenizer that is there already. */
export function chatOver(tokenizer: Tokenizer, options: Omit<ChatOptions, 'reserve'>): ChatSetup {
  const source = 'the tokenizer'
  const { chatTemplate, format } = options
  if (chatTemplate === undefined || format !== undefined) {
    return formatSetup(tokenizer, chooseFormat(source, format, undefined), options, source)
  }
  const template = compileTemplate(chatTemplate)
  return templateSetup(tokenizer, template, options, {
    source,
    chosen: !options.textualMarkers,
    specialTokens: {},
    eosTokenIds: [],
  })
}

function formatSetup(
  tokenizer: Tokenizer,
  format: ChatFormat,
  options: ChatOptions,
  source: string,
): ChatSetup {
  const compat = checkCompat(options.compat)
  checkVocabulary(source, format, tokenizer)
  const resolve = (name: string) => tokenizer.getCommand(name)
  const { padToken } = format
  return {
    tokenizer,
    prompts: new FormatPrompts(format, compat, resolve, options.now),
    compat,
    format,
    eosTokenIds: Object.freeze(format.stopTokens.filter((name) => tokenizer.hasCommand(name)).map(resolve)),
    padTokenId: padToken !== undefined && tokenizer.hasCommand(padToken) ? resolve(padToken) : undefined,
  }
}

/** What the model's folder says about a chat template. */
interface TemplateSource {
  readonly source: string
  /** The template was chosen by the caller, who does not say that its marks are plain text. */
  readonly chosen: boolean
  readonly specialTokens: Readonly<Record<string, string>>
  readonly eosTokenIds: readonly number[]
}

function templateSetup(
  tokenizer: Tokenizer,
  template: ChatTemplate,
  options: ChatOptions,
  folder: TemplateSource,
): ChatSetup {
  const compat = checkCompat(options.compat)
  const specialTokens = { ...folder.specialTokens, ...options.specialTokens }
  const find = (text: string) => tokenizer.findReserved(text)
  const guarantee = templateGuarantee({
    template,
    specialTokens,
    find,
    chosen: folder.chosen,
    source: folder.source,
  })
  const resolve = (name: string) => tokenizer.getCommand(name)
  const { pad_token: pad, eos_token: eos } = specialTokens
  const eosTokenIds =
    folder.eosTokenIds.length > 0
      ? folder.eosTokenIds
      : tokenizer.hasCommand(eos ?? '')
        ? [resolve(eos as string)]
        : []
  return {
    tokenizer,
    prompts: new TemplatePrompts({
      template,
      specialTokens,
      guarantee,
      compat,
      roles: options.roles ?? [],
      now: options.now,
      resolve,
    }),
    compat,
    format: undefined,
    eosTokenIds: Object.freeze([...eosTokenIds]),
    padTokenId: pad !== undefined && tokenizer.hasCommand(pad) ? resolve(pad) : undefined,
  }
}

function checkCompat(compat: Compat = 'safe'): Compat {
  if (compat === 'safe' || compat === 'exact') return compat
  throw new InvalidArgumentError(`compat must be 'safe' or 'exact', not ${JSON.stringify(compat)}`)
}

function chooseFormat(
  modelPath: string,
  wanted: string | ChatFormat | undefined,
  config: TokenizerConfig | undefined,
): ChatFormat {
  if (wanted === undefined) {
    const known = chatFormats().map(({ name }) => name)
    throw new ChatFormatError(
      `${modelPath}: the chat format cannot be told from the model; give { format } (there is ${known.join(', ')})`,
    )
  }
  if (typeof wanted !== 'string') {
    checkFormat(wanted)
    return wanted
  }
  const format = chatFormat(wanted)
  if (format.commands && config && (config.tokenizer_class ?? 'ChatGLMTokenizer') !== 'ChatGLMTokenizer') {
    throw new ChatFormatError(
      `${modelPath}: the format ${wanted} does not fit a model whose tokenizer_class is ${config.tokenizer_class}`,
    )
  }
  return format
}

/** A format writes control tokens; a model that lacks one was trained on another format. */
function checkVocabulary(modelPath: string, format: ChatFormat, tokenizer: Tokenizer): void {
  const missing = format.controlTokens.filter((name) => !tokenizer.hasCommand(name))
  if (missing.length === 0) return
  throw new ChatFormatError(
    `${modelPath}: the format ${format.name} does not fit this model, whose vocabulary lacks ${missing.join(' ')}`,
  )
}
