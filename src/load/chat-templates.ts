import { type Dirent, promises } from 'node:fs'
import path from 'node:path'
import { ModelNotFoundError, UnsupportedTokenizerError } from '../errors.js'
import { type FolderFiles, readTextFile } from './folder-file.js'
import type { LoadWarning } from './load-warning.js'
import { quoted, shortened } from './quoted.js'
import { Fields } from './tokenizer-json/fields.js'

/** A Jinja template as its file has it. */
export interface ChatTemplateSource {
  readonly text: string
  /** Its file, in JSON with the path inside: for messages. */
  readonly source: string
}

/** By name: `default`, `tool_use`, `rag`. */
export type ChatTemplates = ReadonlyMap<string, ChatTemplateSource>

const FOLDER = 'additional_chat_templates'
const SUFFIX = '.jinja'
/** Real models have up to three. */
const MAX_TEMPLATES = 100

/**
 * Reads the chat templates of a folder. Where there is a `.jinja` file, those files have all of them:
 * `additional_chat_templates/<name>.jinja`, then `chat_template.jinja` for `default`. Else `tokenizer_config.json` has
 * them; else `chat_template.json`, which only processors of images read.
 *
 * Source of behaviour: transformers 5.23.0.
 *
 * @throws TokenizerFileError for what is no template, with file and JSON path
 */
export async function readChatTemplates(
  folder: string,
  files: FolderFiles,
): Promise<{ templates: ChatTemplates; warnings: readonly LoadWarning[] }> {
  const sources = [
    await readJinjaFiles(folder),
    readInConfig(files.tokenizerConfig),
    readInConfig(files.chatTemplate),
  ].filter(({ size }) => size > 0)
  const [templates = new Map<string, ChatTemplateSource>(), ...unused] = sources
  return { templates, warnings: unused.flatMap((others) => differences(templates, others)) }
}

async function readJinjaFiles(folder: string): Promise<ChatTemplates> {
  const templates = new Map<string, ChatTemplateSource>()
  const add = async (name: string, file: string): Promise<void> => {
    const text = await readTextFile(file)
    if (text !== undefined) templates.set(name, { text, source: file })
  }
  await add('default', path.join(folder, 'chat_template.jinja'))
  const names = await jinjaNames(path.join(folder, FOLDER))
  for (const name of names) await add(name.slice(0, -SUFFIX.length), path.join(folder, FOLDER, name))
  return templates
}

async function jinjaNames(folder: string): Promise<string[]> {
  let entries: Dirent[]
  try {
    entries = await promises.readdir(folder, { withFileTypes: true })
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw new ModelNotFoundError(folder, `${folder}: ${message}`, { cause })
  }
  const names = entries.filter((entry) => !entry.isDirectory() && entry.name.endsWith(SUFFIX))
  if (names.length > MAX_TEMPLATES) {
    throw new UnsupportedTokenizerError(
      folder,
      `${names.length} chat templates`,
      `at most ${MAX_TEMPLATES} are read`,
    )
  }
  return names.map(({ name }) => name).sort()
}

/** One template as a string; several by name, as an object or as a list of `{ name, template }`. */
function readInConfig(config: Fields | undefined): ChatTemplates {
  const templates = new Map<string, ChatTemplateSource>()
  const value = config?.get('chat_template') ?? null
  if (config === undefined || value === null) return templates
  const add = (name: string, fields: Fields, field: string): void => {
    const source = `${config.source}: ${fields.pathOf(field)}`
    templates.set(name, { text: fields.string(field), source })
  }
  if (Array.isArray(value)) {
    value.forEach((item, i) => {
      const fields = new Fields(config.source, `$.chat_template[${i}]`, item)
      add(fields.string('name'), fields, 'template')
    })
  } else if (value instanceof Map) {
    const fields = config.object('chat_template')
    for (const name of fields.names) add(name, fields, name)
  } else add('default', config, 'chat_template')
  return templates
}

function differences(used: ChatTemplates, others: ChatTemplates): LoadWarning[] {
  return [...others].flatMap(([name, other]): LoadWarning[] => {
    const template = used.get(name)
    if (template !== undefined && meaning(template) === meaning(other)) return []
    const message =
      template === undefined
        ? `the chat template ${quoted(name)} of ${other.source} is not used, since ${shortened([...used.values()][0]?.source ?? '', 200)} is there`
        : `the chat template ${quoted(name)} of ${other.source} differs from that of ${template.source}, which is used`
    return [{ code: 'CHAT_TEMPLATES_DIFFER', name, used: template?.source, unused: other.source, message }]
  })
}

/** Jinja takes all line ends for one and drops the last. */
function meaning({ text }: ChatTemplateSource): string {
  return text.replace(/\r\n?/g, '\n').replace(/\n$/, '')
}
