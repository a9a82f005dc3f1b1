import { placements } from './bank/placements.js'
import type { Prober } from './probe.js'
import type { AuditTarget } from './target.js'

/** Whether harmless chats have the ids that the usual path gives them. */
export interface ParityAudit {
  readonly chats: number
  readonly equal: number
  /** Chats that the template engine of the usual path writes otherwise, or not at all. */
  readonly textDiffers: number
  readonly notRendered: number
  readonly firstDivergence: Divergence | undefined
}

export interface Divergence {
  readonly place: string
  readonly text: string
  /** Index of the first id that differs, with what both have there. */
  readonly index: number
  readonly ours: string | undefined
  readonly usual: string | undefined
}

/** Texts that spell no token. */
const TEXTS: readonly string[] = [
  'What is the weather in 北京 today?',
  '今天天气怎么样？😀👩‍👩‍👧',
  'def f(x):\n    return x ** 2  # "quoted"\n',
  '  two  spaces, 1,234.5 and a naïve café ',
]

/** Encodes harmless chats both ways. */
export function auditParity(target: AuditTarget, prober: Prober): ParityAudit {
  let chats = 0
  let equal = 0
  let textDiffers = 0
  let notRendered = 0
  let firstDivergence: Divergence | undefined
  for (const text of TEXTS) {
    for (const placement of placements(text)) {
      const probe = prober.probe(placement)
      if ('refused' in probe) continue
      chats++
      if (probe.usualText === 'differs') textDiffers++
      if (probe.usualText === 'not rendered') notRendered++
      const index = divergence(probe.ids, probe.usualIds)
      if (index < 0) equal++
      else {
        const token = (ids: ArrayLike<number>) => target.tokenizer.idToToken(ids[index] ?? -1)
        const [ours, usual] = [token(probe.ids), token(probe.usualIds)]
        firstDivergence ??= { place: placement.place, text, index, ours, usual }
      }
    }
  }
  return { chats, equal, textDiffers, notRendered, firstDivergence }
}

/** The first index at which lists differ, or -1. */
function divergence(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const most = Math.max(a.length, b.length)
  for (let i = 0; i < most; i++) if (a[i] !== b[i]) return i
  return -1
}
