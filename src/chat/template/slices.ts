import { toSliceIndex } from './arguments.js'
import { ofContent, union } from './dependence.js'
import { drop } from './look-up.js'
import { undefinedError } from './operators.js'
import { type OriginText, TextBuilder } from './origin-text.js'
import { typeError, valueError } from './python-error.js'
import type { Rendering } from './rendering.js'
import { Bytes, List, NONE, Range, Str, Tuple, typeName, type Value } from './value.js'

/** Which items a slice takes: `count` of them, from `start`. */
interface Steps {
  readonly start: number
  readonly end: number
  readonly step: number
  readonly count: number
}

/**
 * `value[start:stop:step]`. What it leaves out of a text is lost.
 *
 * @throws PythonError for values that cannot be sliced and indices that are none
 */
export function slice(
  rendering: Rendering,
  value: Value,
  start: Value = NONE,
  stop: Value = NONE,
  step: Value = NONE,
): Value {
  const indices = union(ofContent(start), union(ofContent(stop), ofContent(step)))
  switch (value.kind) {
    case 'str': {
      rendering.read(value.text)
      rendering.seek(value.text)
      const steps = resolve(value.text.length, start, stop, step)
      const text = sliceText(rendering, value.text, steps)
      return new Str(text, union(ofContent(value), indices), value.markup)
    }
    case 'bytes': {
      const steps = resolve(value.data.length, start, stop, step)
      rendering.meter.step(steps.count)
      const data = Uint8Array.from(take([...value.data], steps))
      return new Bytes(data, value.origin, union(ofContent(value), indices))
    }
    case 'list':
    case 'tuple': {
      const steps = resolve(value.items.length, start, stop, step)
      rendering.meter.step(steps.count)
      if (indices !== null && value.origin === null) rendering.branch(indices, steps.count > 0)
      drop(rendering, value, (_item, i) => !takes(steps, i))
      const items = take(value.items, steps)
      const depends = union(value.depends, indices)
      const isReversed = steps.step === -1 && items.length === value.items.length
      return value.kind === 'list'
        ? new List(items, value.origin, depends, (isReversed && value.growth?.reversed) || null)
        : new Tuple(items, value.origin, depends)
    }
    case 'range': {
      const steps = resolve(value.length, start, stop, step)
      const first = value.start + steps.start * value.step
      const stride = value.step * steps.step
      return new Range(first, value.start + steps.end * value.step, stride, union(value.depends, indices))
    }
    case 'undefined':
      return undefinedError(value)
    case 'dict':
      throw typeError("unhashable type: 'slice'")
    default:
      throw typeError(`'${typeName(value)}' object is not subscriptable`)
  }
}

/** Python's `slice.indices`. */
function resolve(length: number, start: Value, stop: Value, step: Value): Steps {
  const stride = toSliceIndex(step) ?? 1
  if (stride === 0) throw valueError('slice step cannot be zero')
  const backwards = stride < 0
  const [lowest, highest] = backwards ? [-1, length - 1] : [0, length]
  const clamp = (given: number | undefined, missing: number): number => {
    if (given === undefined) return missing
    return given < 0 ? Math.max(given + length, lowest) : Math.min(given, highest)
  }
  const first = clamp(toSliceIndex(start), backwards ? highest : lowest)
  const end = clamp(toSliceIndex(stop), backwards ? lowest : highest)
  const count = Math.ceil((end - first) / stride)
  return { start: first, end, step: stride, count: Math.max(0, count) }
}

function takes({ start, step, count }: Steps, index: number): boolean {
  const at = (index - start) / step
  return Number.isInteger(at) && at >= 0 && at < count
}

function take<Item>(items: readonly Item[], { start, step, count }: Steps): Item[] {
  if (step === 1) return items.slice(start, start + count)
  if (step === -1) return items.slice(start + 1 - count, start + 1).reverse()
  const taken: Item[] = []
  for (let i = 0; i < count; i++) taken.push(items[start + i * step] as Item)
  return taken
}

function sliceText(rendering: Rendering, text: OriginText, steps: Steps): OriginText {
  const { start, step, count } = steps
  if (step === 1) {
    const from = text.offsetOf(Math.min(start, text.length))
    const to = count === 0 ? from : text.offsetOf(start + count)
    rendering.cut(text.slice(0, from))
    rendering.cut(text.slice(to, text.text.length))
    return text.slice(from, to)
  }
  rendering.meter.step(text.length)
  const characters = text.characters()
  if (count < characters.length) rendering.cut(text)
  const builder = new TextBuilder()
  for (const character of take(characters, steps)) builder.appendText(character)
  return count === 0 ? text.slice(0, 0) : builder.build()
}
