import type { Frame } from '../compile-expression.js'
import type { Execute } from '../compile-statement.js'
import type { Value } from '../value.js'
import type { PlannedBlock } from './plan.js'
import { compilePrints, type PrintOf } from './prints.js'
import { SegmentedOutput } from './replay.js'

/** What a statement looked at and did in the render before. */
export interface BlockRecord {
  /** What it hangs on, for each of its prints. */
  readonly prints: readonly PrintOf[]
  /** The variables that it gives a value, behind it. */
  readonly after: readonly (Value | undefined)[]
  readonly steps: number
  readonly produced: number
  /** What it wrote: where among the stretches, how many of them, and their length in UTF-16 units. */
  readonly segment: number
  readonly segments: number
  readonly units: number
  /** The last render in which it did that. */
  render: number
}

const NO_ITEMS: readonly Value[] = []

/** A statement in front of all loops over messages that is not run again where it would do the same. */
export function replayedBlock(execute: Execute, block: PlannedBlock, frame: Frame): Execute {
  const prints = compilePrints(block.terms, frame)
  const slots = block.names.flatMap((name) => {
    const ident = frame.symbols.ref(name)
    return ident === undefined ? [] : [frame.scope.declare(ident)]
  })
  return (activation) => {
    const { rendering, output } = activation
    const { replay, meter } = rendering
    if (replay === undefined || !(output instanceof SegmentedOutput)) return execute(activation)
    output.end()
    const segment = output.count
    const run = { activation, items: NO_ITEMS }
    const now = prints.map((print) => print.at(print.take(run), 0, NO_ITEMS))
    const known = replay.blocks.get(execute)
    const isKnown = known?.render === replay.render - 1 && known.segment === segment
    // A number that cannot be told equals nothing.
    if (isKnown && known.prints.every((print, i) => print === now[i])) {
      known.render = replay.render
      for (let i = 0; i < slots.length; i++) activation.slots[slots[i] as number] = known.after[i]
      output.keep(known.segments, known.units)
      meter.reset(meter.steps + known.steps, meter.produced + known.produced)
      meter.fits(output.length)
      return 'done'
    }
    const { steps, produced } = meter
    const { length } = output
    const completion = execute(activation)
    output.end()
    replay.blocks.set(execute, {
      prints: now,
      after: slots.map((slot) => activation.slots[slot]),
      steps: meter.steps - steps,
      produced: meter.produced - produced,
      segment,
      segments: output.count - segment,
      units: output.length - length,
      render: replay.render,
    })
    return completion
  }
}
