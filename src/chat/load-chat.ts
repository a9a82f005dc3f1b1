import { ChatFormatError, InvalidArgumentError } from '../errors.js'
import type { ModelFolder, TokenizerConfig } from '../load/model-folder.js'
import { chatGlmKind } from '../tokenizer/commands.js'
import { readModel } from '../tokenizer/read-model.js'
import { Tokenizer } from '../tokenizer/tokenizer.js'
import type { ChatOptions } from './chat-options.js'
import { type ChatFolder, type ChatSetup, formatSetup, templateSetup } from './chat-setup.js'
import type { ChatFormat } from './formats/format.js'
import { chatFormat, chatFormats, checkFormat } from './formats/registry.js'
import { compileTemplate } from './template/template.js'
import type { Templates } from './template-prompts.js'

/** Reads a model and chooses how its chats are written. */
export async function loadChat(modelPath: string, options: ChatOptions): Promise<ChatSetup> {
  checkExclusive(options)
  const { spec, config, ...loadedWith } = await readModel(
    modelPath,
    undefined,
    options.cacheFolder,
    options.map,
  )
  const { folder } = loadedWith
  const chatFolder: ChatFolder = {
    source: modelPath,
    specialTokens: Object.fromEntries(folder?.tokens.named ?? []),
    generationEos: folder?.generationEos ?? [],
    limits: folder?.limits,
  }
  const wanted = options.format ?? (options.chatTemplate === undefined ? chatGlmKind(config) : undefined)
  if (wanted !== undefined) {
    const format = namedFormat(modelPath, wanted, config)
    const { commands, controlTokens: literals } = format
    const tokenizer = Tokenizer.fromSpec(
      spec,
      { commands, reserve: options.reserve, memoBytes: options.memoBytes },
      { ...loadedWith, literals },
    )
    return formatSetup(tokenizer, format, options, chatFolder)
  }
  const templates = chosenTemplates(modelPath, options, folder)
  const literals = templates && [...templates.plain.literals, ...(templates.withTools?.literals ?? [])]
  const tokenizer = Tokenizer.fromSpec(
    spec,
    { reserve: options.reserve, memoBytes: options.memoBytes },
    { ...loadedWith, literals },
  )
  if (templates) {
    return templateSetup(tokenizer, templates, options, chatFolder, options.chatTemplate !== undefined)
  }
  return formatSetup(tokenizer, recognised(modelPath, tokenizer), options, chatFolder)
}

/** A chat over a tokenizer that is there already. */
export function chatOver(
  tokenizer: Tokenizer,
  options: Omit<ChatOptions, 'reserve' | 'memoBytes'>,
): ChatSetup {
  checkExclusive(options)
  const { chatTemplate, format } = options
  const folder: ChatFolder = { source: 'the tokenizer', specialTokens: {}, generationEos: [] }
  if (chatTemplate !== undefined) {
    return templateSetup(tokenizer, { plain: compileTemplate(chatTemplate) }, options, folder, true)
  }
  const chosen =
    format === undefined
      ? recognised(folder.source, tokenizer)
      : namedFormat(folder.source, format, undefined)
  return formatSetup(tokenizer, chosen, options, folder)
}

function checkExclusive({ format, chatTemplate, templateName }: ChatOptions): void {
  const given = Object.entries({ format, chatTemplate, templateName }).filter(
    ([, value]) => value !== undefined,
  )
  if (given.length < 2) return
  throw new InvalidArgumentError(`${given.map(([name]) => name).join(' and ')} exclude each other`)
}

/** The caller's template, or those of the folder; undefined when there is none. */
function chosenTemplates(
  modelPath: string,
  { chatTemplate, templateName }: ChatOptions,
  folder: ModelFolder | undefined,
): Templates | undefined {
  if (chatTemplate !== undefined) return { plain: compileTemplate(chatTemplate) }
  const sources = folder?.chatTemplates ?? new Map<string, never>()
  const compile = (name: string) => {
    const found = sources.get(name)
    return found && compileTemplate(found.text, { name: found.source })
  }
  if (templateName !== undefined) {
    const plain = compile(templateName)
    if (plain) return { plain }
    const known = sources.size === 0 ? 'none' : [...sources.keys()].join(', ')
    throw new ChatFormatError(
      `${modelPath}: there is no chat template ${JSON.stringify(templateName)}; there is ${known}`,
    )
  }
  const plain = compile('default')
  if (plain) return { plain, withTools: compile('tool_use') }
  if (sources.size === 0) return undefined
  throw new ChatFormatError(
    `${modelPath}: none of the chat templates ${[...sources.keys()].join(', ')} is the default; give { templateName }`,
  )
}

function namedFormat(
  modelPath: string,
  wanted: string | ChatFormat,
  config: TokenizerConfig | undefined,
): ChatFormat {
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

/**
 * The format whose control tokens the vocabulary has: of several, the one with the most. Textual formats have none of
 * their own, so they are never recognised.
 *
 * @throws ChatFormatError when no format fits, or several fit equally
 */
function recognised(modelPath: string, tokenizer: Tokenizer): ChatFormat {
  const fitting = chatFormats()
    .filter(({ guarantee, commands }) => guarantee === 'reserved-ids' && commands === undefined)
    .filter(({ controlTokens }) => controlTokens.every((name) => tokenizer.hasCommand(name)))
  const most = Math.max(0, ...fitting.map(({ controlTokens }) => controlTokens.length))
  const [best, ...others] = fitting.filter(({ controlTokens }) => controlTokens.length === most)
  if (best && others.length === 0) return best
  const known = chatFormats().map(({ name }) => name)
  const reason = best
    ? `its vocabulary fits the formats ${[best, ...others].map(({ name }) => name).join(', ')}`
    : 'its vocabulary fits no chat format: it may be a base model'
  throw new ChatFormatError(
    `${modelPath}: the model has no chat template, and ${reason}. Give { format } (there is ${known.join(', ')}) or { chatTemplate }`,
  )
}
