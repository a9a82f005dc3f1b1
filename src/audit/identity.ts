import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import path from 'node:path'
import { packageVersion } from '../package-files.js'
import type { ReservePolicy } from '../tokenizer/reserve-policy.js'
import type { AuditTarget } from './target.js'
import { templateLine } from './template-line.js'
import { usualPackages } from './usual-path/packages.js'

/** What was looked at, and with what: equal inputs give equal reports. */
export interface Identity {
  /** The name of the folder or file. */
  readonly model: string
  readonly vocabSize: number
  readonly algorithm: string
  readonly semantics: string
  /** SHA-256 of the files that decide, by name, and of the chat template. */
  readonly sha256: Readonly<Record<string, string>>
  /** The chat template's file, or the built-in format; undefined without a chat. */
  readonly chat: string | undefined
  /** The line of the template in its file, where that is JSON: there a template is one line. */
  readonly chatLine?: number | undefined
  readonly reservePolicy: ReservePolicy
  /** That no id which the compiled tables can emit for text is reserved: computed when the model was loaded. */
  readonly certificate: { readonly holds: true; readonly reservedIds: number }
  /** What stands for the usual path. */
  readonly usualPath: string
  readonly versions: Readonly<Record<string, string>>
}

/** Files beside the tokenizer that say which tokens and templates a model has. */
const BESIDE = [
  'tokenizer_config.json',
  'special_tokens_map.json',
  'added_tokens.json',
  'generation_config.json',
  'config.json',
]

export async function identityOf(target: AuditTarget): Promise<Identity> {
  const { tokenizer, template, chat, files, usual, reservePolicy } = target
  const { source } = files.spec
  const folder = path.dirname(source)
  const sha256: Record<string, string> = { [path.basename(source)]: await hashFile(source) }
  for (const name of files.folder === undefined ? [] : BESIDE) {
    if (existsSync(path.join(folder, name))) sha256[name] = await hashFile(path.join(folder, name))
  }
  if (template) sha256['chat template'] = createHash('sha256').update(template.text).digest('hex')
  const line = template && (await templateLine(template.source))
  return {
    model: path.basename(path.resolve(target.path)),
    vocabSize: tokenizer.vocabSize,
    algorithm: tokenizer.model,
    semantics: tokenizer.semantics,
    sha256,
    chat: chat && (template ? template.source.slice(folder.length).replace(/^[\\/]/, '') : chat.prompts.name),
    ...(line === undefined ? {} : { chatLine: line }),
    reservePolicy,
    certificate: { holds: true, reservedIds: tokenizer.reserved.length },
    usualPath: usual.engine,
    versions: { safetokens: packageVersion(), ...usualPackages() },
  }
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk as Uint8Array)
  return hash.digest('hex')
}
