import type { PayloadForgeries } from '../forged-turns.js'

/** By how much text that is not parsed for special tokens is longer in tokens. */
export interface Inflation {
  readonly median: number
  readonly most: { readonly payload: string; readonly ratio: number }
}

/** Empty payloads do not count. */
export function inflation(payloads: readonly PayloadForgeries[]): Inflation {
  const ratios = payloads
    .filter(({ tokens }) => tokens.usual > 0)
    .map(({ payload, tokens }) => ({ payload, ratio: tokens.ours / tokens.usual }))
    .sort((a, b) => a.ratio - b.ratio)
  const nothing = { payload: '', ratio: 1 }
  return { median: ratios[ratios.length >> 1]?.ratio ?? 1, most: ratios.at(-1) ?? nothing }
}
