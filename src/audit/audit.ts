import type { Guarantee } from '../chat/formats/format.js'
import type { LoadWarning } from '../load/load-warning.js'
import {
  type AdjacentFields,
  adjacentFields,
  auditFields,
  type ComposedToken,
  composedTokens,
  type FieldAudit,
} from './field-audit.js'
import { type Finding, findings } from './findings.js'
import { auditForgedTurns, type ForgedTurnsAudit } from './forged-turns.js'
import { type Identity, identityOf } from './identity.js'
import { auditParity, type ParityAudit } from './parity.js'
import { Prober } from './probe.js'
import type { Progress } from './progress.js'
import { auditReserved, type ReservedAudit } from './reserved-audit.js'
import { type SplitReach, splitReach } from './split-reach.js'
import { type AuditTarget, auditTarget, type TargetOptions } from './target.js'
import { structuralTokens } from './turns.js'

export interface AuditOptions extends TargetOptions {
  /** How many of the model's control tokens the payloads of the forged-turn test are made of. Default 8. */
  readonly controls?: number | undefined
  readonly progress?: Progress | undefined
}

/** What an audit found. Equal files, versions and options give an equal report, so it can be a golden file. */
export interface AuditReport {
  readonly schema: 'safetokens-audit/1'
  readonly identity: Identity
  readonly summary: AuditSummary
  /** What deserves attention, the worst first. */
  readonly findings: readonly Finding[]
  readonly reserved: readonly ReservedAudit[]
  /** Undefined for a model without a chat. */
  readonly chat: ChatAudit | undefined
  /** Why there is no chat. */
  readonly noChat: string | undefined
  /** What the model's files made worth knowing. */
  readonly warnings: readonly LoadWarning[]
}

/** How many reserved ids text reaches. */
export interface AuditSummary {
  readonly reserved: number
  readonly reachedByUsualPath: number
  /** Undefined where `split_special_tokens` does not exist. */
  readonly reachedUnderSplit: number | undefined
  readonly reachedByOurs: number
  readonly forgedTurns: { readonly usual: number; readonly ours: number } | undefined
}

export interface ChatAudit {
  /** Name of the format, or `template`. */
  readonly format: string
  readonly guarantee: Guarantee
  readonly fields: readonly FieldAudit[]
  readonly adjacent: readonly AdjacentFields[]
  /** Reserved ids that two fields reach together. */
  readonly split: SplitReach
  readonly composed: readonly ComposedToken[]
  readonly forgedTurns: ForgedTurnsAudit
  readonly parity: ParityAudit
}

const CONTROLS = 8

/**
 * Audits a model's tokenizer and chat template: what hostile text does on the usual path (one rendered string, special
 * tokens parsed from it) and on ours. Needs no weights; `@huggingface/jinja` and `@huggingface/tokenizers` must be
 * installed.
 *
 * @throws the errors of `Tokenizer.load` and `Chat.load`; SafetokensError `MISSING_PACKAGE`
 * @example
 * const { summary } = await audit('models/qwen3')
 * summary.reachedByUsualPath // 26
 * summary.reachedByOurs      // 0
 */
export async function audit(modelPath: string, options: AuditOptions = {}): Promise<AuditReport> {
  const target = await auditTarget(modelPath, options)
  const progress = options.progress ?? (() => {})
  const reserved = auditReserved(target, progress)
  const chat = target.chat && auditChat(target, target.chat, options.controls ?? CONTROLS, progress)
  const reached = (list: (token: ReservedAudit) => readonly unknown[] | undefined): number =>
    reserved.filter((token) => (list(token)?.length ?? 0) > 0).length
  const found: Omit<AuditReport, 'findings'> = {
    schema: 'safetokens-audit/1',
    identity: await identityOf(target),
    summary: {
      reserved: reserved.length,
      reachedByUsualPath: reached(({ usual }) => usual),
      reachedUnderSplit: target.usual.encodeSplit && reached(({ split }) => split),
      reachedByOurs: reached(({ ours }) => ours),
      forgedTurns: chat && { usual: chat.forgedTurns.usual.turns, ours: chat.forgedTurns.ours.turns },
    },
    reserved,
    chat,
    noChat: target.noChat,
    warnings: target.tokenizer.warnings,
  }
  return { ...found, findings: findings(found) }
}

function auditChat(
  target: AuditTarget,
  chat: NonNullable<AuditTarget['chat']>,
  controls: number,
  progress: Progress,
): ChatAudit {
  const prober = new Prober(target, chat)
  const adjacent = adjacentFields(prober)
  return {
    format: chat.prompts.name,
    guarantee: chat.prompts.guarantee,
    fields: auditFields(prober),
    adjacent,
    split: splitReach(target, prober, adjacent),
    composed: composedTokens(target, prober),
    forgedTurns: auditForgedTurns(target, prober, structuralTokens(target, prober, controls), progress),
    parity: auditParity(target, prober),
  }
}
