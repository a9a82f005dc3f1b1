import type { Placement } from './bank/placements.js'
import { countId } from './count-ids.js'
import type { AdjacentFields } from './field-audit.js'
import type { Prober } from './probe.js'
import type { AuditTarget } from './target.js'

/** Reserved ids that two halves in neighbouring fields give, of which neither alone does. */
export interface SplitReach {
  /** Names on the usual path, and on ours. */
  readonly usual: readonly string[]
  readonly ours: readonly string[]
  /** One of the usual path. */
  readonly witness: { readonly first: Half; readonly second: Half } | undefined
}

export interface Half {
  readonly field: string
  readonly text: string
}

/** Puts the halves of each reserved name into two parts of content, where the template writes them side by side. */
export function splitReach(
  target: AuditTarget,
  prober: Prober,
  adjacent: readonly AdjacentFields[],
): SplitReach {
  const fields = adjacent.find(
    ({ first, second }) => /content\[0\]/.test(first) && /content\[1\]/.test(second),
  )
  const usual: string[] = []
  const ours: string[] = []
  let witness: SplitReach['witness']
  if (fields === undefined) return { usual, ours, witness }
  const plain = prober.probe(parts('x', 'x'))
  if ('refused' in plain) return { usual, ours, witness }
  for (const { id, name } of target.tokenizer.reserved) {
    const characters = Array.from(name)
    const middle = Math.ceil(characters.length / 2)
    const first = characters.slice(0, middle).join('')
    const second = characters.slice(middle).join('')
    const probe = prober.probe(parts(first, second))
    if (second === '' || 'refused' in probe) continue
    if (countId(probe.ids, id) > countId(plain.ids, id)) ours.push(name)
    if (countId(probe.usualIds, id) <= countId(plain.usualIds, id)) continue
    usual.push(name)
    witness ??= {
      first: { field: fields.first, text: first },
      second: { field: fields.second, text: second },
    }
  }
  return { usual, ours, witness }
}

function parts(first: string, second: string): Placement {
  const content = [
    { type: 'text', text: first },
    { type: 'text', text: second },
  ]
  return { place: 'two parts of content', messages: [{ role: 'user', content }], options: {} }
}
