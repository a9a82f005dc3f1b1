import type { BpeSpec } from './pipeline-spec.js'

const late = new WeakSet<object>()

/** Lets the merges of a compiled model be read when they are asked for: native tables stand for them, as a rule. */
export function readMergesLater<T extends object>(model: T, read: () => Uint32Array): T {
  let merges: Uint32Array | undefined
  const get = (): Uint32Array => {
    merges ??= read()
    return merges
  }
  late.add(model)
  return Object.defineProperty(model, 'merges', { get, enumerable: true, configurable: true })
}

/** Whether asking for the merges means to read them. */
export function hasLateMerges(model: BpeSpec): boolean {
  return late.has(model)
}
