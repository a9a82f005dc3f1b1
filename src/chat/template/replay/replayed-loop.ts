import type { Activation, Evaluate } from '../activation.js'
import type { For } from '../ast.js'
import { compileExpression } from '../compile-expression.js'
import type { LoopParts, RunLoop } from '../compile-loop.js'
import type { Completion, Execute, StatementFrame } from '../compile-statement.js'
import { Loop } from '../loop.js'
import type { Entry, Namespace, Value } from '../value.js'
import type { LoopPlan } from './plan.js'
import { FixedValues, type LoopState } from './prints.js'
import { hasPrints, type LoopRecord, type Note, type Replay, SegmentedOutput, type Turn } from './replay.js'
import { sameValue } from './same-value.js'

/** A loop as it is compiled. */
export interface CompiledLoop {
  readonly node: For
  readonly plan: LoopPlan
  readonly parts: LoopParts
  readonly iterable: Evaluate
  /** Runs all its turns. */
  readonly run: RunLoop
}

/** A loop that takes over those turns of the render before that would do the same again. */
export function replayedLoop(compiled: CompiledLoop, frame: StatementFrame): Execute {
  const { node, plan, iterable, run } = compiled
  const namespaces = plan.cells.map(({ namespace: name }) =>
    compileExpression({ type: 'Name', name, position: node.position }, frame),
  )
  return (activation) => {
    const value = iterable(activation)
    const { rendering, output } = activation
    const { replay, control } = rendering
    const owners = namespaces.map((namespace) => namespace(activation))
    const isPlain =
      replay !== undefined &&
      output instanceof SegmentedOutput &&
      control === null &&
      (value.kind === 'list' || value.kind === 'tuple') &&
      value.depends === null &&
      owners.every((owner) => owner.kind === 'namespace')
    if (!isPlain) {
      replay?.records.delete(node)
      return run(activation, value, 0, undefined)
    }
    const { items } = value
    return new LoopRun(compiled, activation, replay, output, owners as Namespace[], items).run()
  }
}

/** One run of a loop. */
class LoopRun implements LoopState {
  readonly #compiled: CompiledLoop
  readonly #activation: Activation
  readonly #replay: Replay
  readonly #output: SegmentedOutput
  readonly #namespaces: readonly Namespace[]
  readonly items: readonly Value[]
  /** Of the turn at hand. */
  index = 0
  readonly #loop: Loop | undefined
  readonly #fixed: FixedValues
  #turns: Turn[] = []
  #isEmpty = true
  #isEntered = false
  /** The first item from which on all are those of the render before. */
  #sameFrom: number | undefined
  /** Before this turn the rest is not that of the render before. */
  #notBefore = 0

  constructor(
    compiled: CompiledLoop,
    activation: Activation,
    replay: Replay,
    output: SegmentedOutput,
    namespaces: readonly Namespace[],
    items: readonly Value[],
  ) {
    this.#compiled = compiled
    this.#activation = activation
    this.#replay = replay
    this.#output = output
    this.#namespaces = namespaces
    this.items = items
    this.#fixed = new FixedValues(activation)
    const { loopSlot } = compiled.parts
    if (loopSlot !== undefined) {
      this.#loop = new Loop(() => undefined, items.length, 0, undefined)
      activation.slots[loopSlot] = this.#loop
    }
  }

  run(): Completion {
    const { node, plan, parts } = this.#compiled
    const { rendering } = this.#activation
    rendering.position = node.position
    this.#output.end()
    this.#replay.loop = this
    const known = this.#replay.records.get(node)
    let index = known === undefined || plan.backwards ? 0 : this.#takeHead(known)
    for (; index < this.items.length && this.#turns.at(-1)?.completion !== 'break'; index++) {
      if (known !== undefined && plan.backwards && this.#takeTail(known, index)) break
      this.#runTurn(index)
    }
    const record = { turns: this.#turns, length: this.items.length, after: this.#cells() }
    this.#replay.records.set(node, record)
    this.#replay.loop = undefined
    parts.exit(this.#activation)
    rendering.position = node.position
    return this.#isEmpty && parts.otherwise ? parts.otherwise(this.#activation) : 'done'
  }

  fixed(evaluate: Evaluate): Value {
    return this.#fixed.get(evaluate)
  }

  #runTurn(index: number): void {
    this.index = index
    const { assign, enter, body } = this.#compiled.parts
    const { meter } = this.#activation.rendering
    const { steps, produced } = meter
    const item = this.items[index] as Value
    const before = this.#cells()
    this.#replay.begin()
    meter.step()
    this.#loop?.goTo(this.items, index)
    assign(this.#activation, item)
    enter(this.#activation)
    const completion = body(this.#activation)
    if (completion === 'done') this.#isEmpty = false
    this.#turns.push({
      item,
      before,
      notes: this.#replay.notes,
      set: this.#replay.set,
      written: this.#output.end(),
      steps: meter.steps - steps,
      produced: meter.produced - produced,
      completion,
    })
  }

  /** Takes the first turns that do the same again, and gives their number. */
  #takeHead(known: LoopRecord): number {
    const { turns } = known
    const [first] = turns
    if (first === undefined || !this.#hasCells(first.before)) return 0
    const most = Math.min(turns.length, this.items.length)
    const costs: Costs = { steps: 0, produced: 0 }
    let count = 0
    while (count < most && this.#isSame(turns[count] as Turn, count, costs)) count++
    this.#take(known, 0, count, costs)
    return count
  }

  /** Takes all turns from one on, if they do the same again. */
  #takeTail(known: LoopRecord, index: number): boolean {
    const { turns } = known
    const shift = this.items.length - known.length
    const from = index - shift
    if (index < this.#notBefore || from < 0 || from >= turns.length) return false
    this.#sameFrom ??= shift + sameFrom(turns, this.items, shift)
    if (index < this.#sameFrom || !this.#hasCells((turns[from] as Turn).before)) return false
    const costs: Costs = { steps: 0, produced: 0 }
    for (let i = from; i < turns.length; i++) {
      if (this.#isSame(turns[i] as Turn, shift + i, costs)) continue
      this.#notBefore = shift + i + 1
      return false
    }
    this.#take(known, from, turns.length, costs)
    return true
  }

  /**
   * Whether a turn does the same again, if all before it have; then what it costs is added. What the noted expressions
   * throw ends the render: then all is rendered anew.
   */
  #isSame(turn: Turn, index: number, costs: Costs): boolean {
    if (turn.item !== this.items[index]) return false
    this.index = index
    let { steps, produced } = turn
    for (let i = 0; i < turn.notes.length; i++) {
      const note = turn.notes[i] as Note
      if (hasPrints(note, this)) continue
      const more = this.#recompute(note, turn.item)
      if (more === undefined) return false
      steps += more.steps
      produced += more.produced
    }
    costs.steps += steps
    costs.produced += produced
    return true
  }

  /** Computes an expression again: what that costs more than it did, or undefined where it comes to something else. */
  #recompute(note: Note, item: Value): Costs | undefined {
    const { meter } = this.#activation.rendering
    const { steps, produced } = meter
    if (!this.#isEntered) {
      this.#compiled.parts.assign(this.#activation, item)
      this.#compiled.parts.enter(this.#activation)
      this.#isEntered = true
    }
    this.#loop?.goTo(this.items, this.index)
    const same = sameValue(note.value, note.site(this.#activation))
    const [more, made] = [meter.steps - steps - note.steps, meter.produced - produced - note.produced]
    meter.reset(steps, produced)
    return same ? { steps: more, produced: made } : undefined
  }

  /** Does what known turns did. */
  #take(known: LoopRecord, from: number, to: number, costs: Costs): void {
    const { turns } = known
    let set = 0
    for (let i = from; i < to; i++) {
      const turn = turns[i] as Turn
      set |= turn.set
      if (turn.completion === 'done') this.#isEmpty = false
      this.#output.put(turn.written)
    }
    const after = to < turns.length ? (turns[to] as Turn).before : known.after
    this.#compiled.plan.cells.forEach(({ attribute }, i) => {
      if ((set & (1 << i)) === 0) return
      const { attributes } = this.#namespaces[i] as Namespace
      const entry = after[i]
      if (entry === undefined) attributes.delete(attribute)
      else attributes.set(attribute, entry)
    })
    const { rendering } = this.#activation
    rendering.meter.reset(rendering.meter.steps + costs.steps, rendering.meter.produced + costs.produced)
    rendering.meter.fits(this.#output.length)
    this.#turns = this.#turns.concat(from === 0 && to === turns.length ? turns : turns.slice(from, to))
  }

  /** The attributes of namespaces that the loop sets, as they are. */
  #cells(): readonly (Entry | undefined)[] {
    const { cells } = this.#compiled.plan
    if (cells.length === 0) return NO_CELLS
    return cells.map(({ attribute }, i) => this.#namespaces[i]?.attributes.get(attribute))
  }

  /** Whether those that its turns look at are as they were. */
  #hasCells(known: readonly (Entry | undefined)[]): boolean {
    return this.#compiled.plan.cells.every(({ attribute, isRead }, i) => {
      if (!isRead) return true
      const [now, then] = [this.#namespaces[i]?.attributes.get(attribute)?.value, known[i]?.value]
      return now === undefined || then === undefined ? now === then : sameValue(now, then)
    })
  }
}

interface Costs {
  steps: number
  produced: number
}

const NO_CELLS: readonly (Entry | undefined)[] = []

/** From which turn on all items are the same, if the list has so many more in front. */
function sameFrom(turns: readonly Turn[], items: readonly Value[], shift: number): number {
  let from = turns.length
  while (from > 0 && turns[from - 1]?.item === items[shift + from - 1]) from--
  return from
}
