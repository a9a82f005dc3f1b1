import type { ToolProtocol } from '../output/types.js'
import type { ReservePolicy } from '../tokenizer/reserve-policy.js'
import type { ChatFormat, ToolProtocolName } from './formats/format.js'
import type { BuiltInFormatName } from './formats/registry.js'
import type { Compat } from './messages.js'

export interface ChatOptions {
  /** The chat format, by name or your own. Default: see `Chat.load`. */
  format?: BuiltInFormatName | (string & {}) | ChatFormat | undefined
  /** The source of a chat template in Jinja, in place of the model's own. */
  chatTemplate?: string | undefined
  /** Which of the folder's chat templates. Default `default`, and `tool_use`, where there is one, for tools. */
  templateName?: string | undefined
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
  /** How the model writes its turns, by name or your own. Default: as the format says, or as its template tells. */
  toolProtocol?: ToolProtocolName | (string & {}) | ToolProtocol | undefined
  /** `safe` (default) refuses input that the reference would take silently; `exact` reproduces its quirks. */
  compat?: Compat | undefined
  /** Which ids no text may produce. Default `structural`. */
  reserve?: ReservePolicy | undefined
  /** A folder for compiled models: see `TokenizerOptions`. */
  cacheFolder?: string | undefined
  /** Map a compiled model instead of reading it: see `TokenizerOptions`. Default false. */
  map?: boolean | undefined
  /** How much the tokenizer may remember of earlier texts: see `TokenizerOptions`. Default 32 MiB. */
  memoBytes?: number | undefined
  /** The clock of formats and templates that write the date. Default: the system's. */
  now?: (() => Date) | undefined
}
