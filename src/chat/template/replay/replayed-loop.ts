import type { Activation, Evaluate } from '../activation.js'
import type { For } from '../ast.js'
import { compileExpression } from '../compile-expression.js'
import type { LoopParts, RunLoop } from '../compile-loop.js'
import type { Completion, Execute, StatementFrame } from '../compile-statement.js'
import { Loop } from '../loop.js'
import type { Entry, Growth, List, Namespace, Tuple, Value } from '../value.js'
import type { LoopPlan } from './plan.js'
import { commonItems, type Fixed, type LoopRun, type Print, type Range, type TwoRuns } from './prints.js'
import {
  both,
  type Did,
  isNothing,
  type LoopRecord,
  NOTHING_DONE,
  type Note,
  type Replay,
  type RunningLoop,
  type Seen,
  SegmentedOutput,
  type Site,
  type Turn,
} from './replay.js'
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
    return new ReplayedRun(compiled, activation, replay, output, owners as Namespace[], value).run()
  }
}

/** One run of a loop. */
class ReplayedRun implements LoopRun, RunningLoop {
  readonly #compiled: CompiledLoop
  readonly activation: Activation
  readonly #replay: Replay
  readonly #output: SegmentedOutput
  readonly #namespaces: readonly Namespace[]
  readonly items: readonly Value[]
  readonly #growth: Growth | null
  readonly #known: LoopRecord | undefined
  readonly #loop: Loop | undefined
  readonly #seen: (Seen | undefined)[] = []
  /** The first turns, which are those of the record where it was taken over. */
  #turns: Turn[] = []
  /** The attributes of namespaces that the loop sets, once they were read. */
  #cellsNow: readonly (Entry | undefined)[] | undefined
  #isEmpty = true
  #isEntered = false

  constructor(
    compiled: CompiledLoop,
    activation: Activation,
    replay: Replay,
    output: SegmentedOutput,
    namespaces: readonly Namespace[],
    list: List | Tuple,
  ) {
    this.#compiled = compiled
    this.activation = activation
    this.#replay = replay
    this.#output = output
    this.#namespaces = namespaces
    const { items } = list
    this.items = items
    this.#growth = list.kind === 'list' ? list.growth : null
    const known = replay.records.get(compiled.node)
    this.#known = known
    const { loopSlot } = compiled.parts
    if (loopSlot !== undefined) {
      this.#loop = known?.loop ?? new Loop(() => undefined, items.length, 0, undefined)
      activation.slots[loopSlot] = this.#loop
    }
  }

  run(): Completion {
    const { node, plan, parts } = this.#compiled
    const { rendering } = this.activation
    rendering.position = node.position
    this.#output.end()
    this.#replay.loop = this
    const segment = this.#output.count
    const known = this.#known
    if (plan.backwards) this.#runBackwards(known)
    else {
      if (known !== undefined) this.#takeHead(known)
      for (let i = this.#turns.length; i < this.items.length && !this.#isBroken(); i++) this.#runTurn(i)
    }
    this.#replay.records.set(node, {
      turns: this.#turns,
      items: this.items,
      growth: this.#growth,
      seen: this.#seen,
      after: this.#cells(),
      render: this.#replay.render,
      segment,
      loop: this.#loop,
    })
    this.#replay.loop = undefined
    parts.exit(this.activation)
    rendering.position = node.position
    return this.#isEmpty && parts.otherwise ? parts.otherwise(this.activation) : 'done'
  }

  see(site: Site): readonly Fixed[] {
    const { index, prints } = site
    const known = this.#seen[index]
    if (known !== undefined) return known.fixed
    const fixed = prints.map((print) => print.take(this))
    this.#seen[index] = { site, fixed }
    return fixed
  }

  #isBroken(): boolean {
    const turns = this.#turns
    return turns.length > 0 && (turns[turns.length - 1] as Turn).completion === 'break'
  }

  /** Runs turns until the rest is that of the render before. */
  #runBackwards(known: LoopRecord | undefined): void {
    const tail = known && new KnownTail(known, this.items, this.#growth)
    let taken: readonly Turn[] = []
    for (let i = 0; i < this.items.length && !this.#isBroken(); i++) {
      const rest = tail && this.#takeTail(tail, i)
      if (rest === undefined) this.#runTurn(i)
      else {
        taken = rest
        break
      }
    }
    let after = taken[0]?.total ?? NOTHING_DONE
    for (let i = this.#turns.length - 1; i >= 0; i--) {
      const turn = this.#turns[i] as Turn
      after = both(turn.did, after)
      turn.total = after
    }
    if (taken.length > 0) this.#turns = this.#turns.concat(taken)
  }

  #runTurn(index: number): void {
    const { assign, enter, body } = this.#compiled.parts
    const { meter } = this.activation.rendering
    const { steps, produced } = meter
    const before = this.#cells()
    this.#replay.begin()
    meter.step()
    this.#loop?.goTo(this.items, index)
    assign(this.activation, this.items[index] as Value)
    enter(this.activation)
    const completion = body(this.activation)
    if (this.#replay.set !== 0) this.#cellsNow = this.#readAgain(before, this.#replay.set)
    const isDone = completion === 'done'
    if (isDone) this.#isEmpty = false
    const written = this.#output.end()
    const did = {
      steps: meter.steps - steps,
      produced: meter.produced - produced,
      set: this.#replay.set,
      isDone,
      segments: isNothing(written) ? 0 : 1,
      units: written.text.length,
    }
    const last = this.#turns[this.#turns.length - 1]
    const total = last === undefined ? did : both(last.total, did)
    this.#turns.push({ before, notes: this.#replay.notes, written, completion, did, total })
  }

  /** Takes the first turns that do the same again. */
  #takeHead(known: LoopRecord): void {
    const { turns, items: before } = known
    const [first] = turns
    if (first === undefined || !this.#hasCells(first.before)) return
    const isGrown = hasGrown(known.growth, this.#growth, false)
    const most = isGrown ? Math.min(before.length, this.items.length) : commonItems(before, this.items)
    const common = Math.min(turns.length, most)
    const runs: TwoRuns = { before, items: this.items, shift: 0, same: [0, common] }
    const count = this.#firstChanged(known, runs)
    if (count === 0) return
    const { total } = turns[count - 1] as Turn
    const isInPlace = known.render === this.#replay.render - 1 && known.segment === this.#output.count
    if (isInPlace) this.#output.keep(total.segments, total.units)
    else for (let i = 0; i < count; i++) this.#output.put((turns[i] as Turn).written)
    this.#take(total, count < turns.length ? (turns[count] as Turn).before : known.after)
    while (turns.length > count) turns.pop() // to set a length costs as much as ten of these
    this.#turns = turns
  }

  /** Takes all turns from one on, if they do the same again. */
  #takeTail(tail: KnownTail, index: number): readonly Turn[] | undefined {
    const { known, runs } = tail
    const { turns } = known
    const from = index - runs.shift
    if (index < tail.notBefore || from < runs.same[0] || from >= turns.length) return undefined
    if (!this.#hasCells((turns[from] as Turn).before)) return undefined
    const changed = this.#firstChanged(known, { ...runs, same: [from, turns.length] })
    if (changed < turns.length) {
      tail.notBefore = runs.shift + changed + 1
      return undefined
    }
    const { total } = turns[from] as Turn
    if (total.segments > 0) {
      for (let i = from; i < turns.length; i++) this.#output.put((turns[i] as Turn).written)
    }
    this.#take(total, known.after)
    return turns.slice(from)
  }

  /**
   * The first turn of those with the same items that does something else, or the end of those. What a turn hangs on is
   * known by what all hang on, so only those are looked at for which that has changed. What the noted expressions throw
   * ends the render: then all is rendered anew.
   */
  #firstChanged(known: LoopRecord, runs: TwoRuns): number {
    const [from, to] = runs.same
    const corrections: Correction[] = []
    let next = from
    let changed = to
    for (const [begin, end] of this.#changedRanges(known, runs)) {
      for (next = Math.max(next, begin); next < end && next < changed; next++) {
        if (!this.#isSame(known, next, runs, corrections)) changed = next
      }
    }
    if (corrections.length > 0) correct(known.turns, corrections, this.#compiled.plan)
    return changed
  }

  /** For which turns what the noted expressions hang on may have changed, in order. */
  #changedRanges({ seen }: LoopRecord, runs: TwoRuns): readonly Range[] {
    const ranges: Range[] = []
    for (const known of seen) {
      if (known === undefined) continue
      const { site, fixed } = known
      const now = this.see(site)
      if (fixed.length === 0) return EVERYWHERE
      for (let i = 0; i < fixed.length; i++) {
        const changed = (site.prints[i] as Print).changed(fixed[i] as Fixed, now[i] as Fixed, runs)
        for (const range of changed) {
          if (range[1] > runs.same[0] && range[0] < runs.same[1]) insert(ranges, range)
        }
      }
    }
    return ranges
  }

  /** Whether a turn does the same again, if all before it have. */
  #isSame(known: LoopRecord, index: number, runs: TwoRuns, corrections: Correction[]): boolean {
    const turn = known.turns[index] as Turn
    let [steps, produced] = [0, 0]
    for (const note of turn.notes) {
      if (this.#hasPrints(note.site, known, index, runs)) continue
      const more = this.#recompute(note, index + runs.shift)
      if (more === undefined) return false
      note.steps += more.steps
      note.produced += more.produced
      steps += more.steps
      produced += more.produced
    }
    if (steps !== 0 || produced !== 0) corrections.push({ index, steps, produced })
    return true
  }

  /** Whether an expression comes to what it came to, as far as that can be said without computing it. */
  #hasPrints(site: Site, { seen, items }: LoopRecord, index: number, { shift }: TwoRuns): boolean {
    const { prints } = site
    const before = seen[site.index]?.fixed ?? NO_FIXED
    const now = this.see(site)
    for (let i = 0; i < prints.length; i++) {
      const print = prints[i] as Print
      const was = print.at(before[i] as Fixed, index, items)
      if (print.at(now[i] as Fixed, index + shift, this.items) !== was) return false
    }
    return prints.length > 0
  }

  /** Computes an expression again: what that costs more than it did, or undefined where it comes to something else. */
  #recompute(note: Note, index: number): Costs | undefined {
    const { meter } = this.activation.rendering
    const { steps, produced } = meter
    if (!this.#isEntered) {
      this.#compiled.parts.assign(this.activation, this.items[index] as Value)
      this.#compiled.parts.enter(this.activation)
      this.#isEntered = true
    }
    this.#loop?.goTo(this.items, index)
    const same = sameValue(note.value, note.site.evaluate(this.activation))
    const [more, made] = [meter.steps - steps - note.steps, meter.produced - produced - note.produced]
    meter.reset(steps, produced)
    return same ? { steps: more, produced: made } : undefined
  }

  /** Does what known turns did, but for what they wrote. */
  #take({ set, isDone, steps, produced }: Did, after: readonly (Entry | undefined)[]): void {
    if (isDone) this.#isEmpty = false
    if (set !== 0) {
      const { cells } = this.#compiled.plan
      const now = this.#cells().slice()
      for (let i = 0; i < cells.length; i++) {
        if ((set & (1 << i)) === 0) continue
        const { attribute } = cells[i] as Cell
        const { attributes } = this.#namespaces[i] as Namespace
        const entry = after[i]
        now[i] = entry
        if (entry === undefined) attributes.delete(attribute)
        else attributes.set(attribute, entry)
      }
      this.#cellsNow = now
    }
    const { meter } = this.activation.rendering
    meter.reset(meter.steps + steps, meter.produced + produced)
    meter.fits(this.#output.length)
  }

  /** The attributes of namespaces that the loop sets, as they are. */
  #cells(): readonly (Entry | undefined)[] {
    this.#cellsNow ??= this.#readCells()
    return this.#cellsNow
  }

  #readCells(): readonly (Entry | undefined)[] {
    const { cells } = this.#compiled.plan
    if (cells.length === 0) return NO_CELLS
    const now: (Entry | undefined)[] = []
    for (let i = 0; i < cells.length; i++) {
      now.push((this.#namespaces[i] as Namespace).attributes.get((cells[i] as Cell).attribute))
    }
    return now
  }

  /** The same after those were set that have a bit. */
  #readAgain(before: readonly (Entry | undefined)[], set: number): readonly (Entry | undefined)[] {
    const { cells } = this.#compiled.plan
    const now = before.slice()
    for (let i = 0; i < cells.length; i++) {
      if ((set & (1 << i)) === 0) continue
      now[i] = (this.#namespaces[i] as Namespace).attributes.get((cells[i] as Cell).attribute)
    }
    return now
  }

  /** Whether those that its turns look at are as they were. */
  #hasCells(known: readonly (Entry | undefined)[]): boolean {
    const { cells } = this.#compiled.plan
    const current = this.#cells()
    for (let i = 0; i < cells.length; i++) {
      if (!(cells[i] as Cell).isRead || current[i] === known[i]) continue
      const [now, then] = [current[i]?.value, known[i]?.value]
      if (now === undefined || then === undefined ? now !== then : !sameValue(now, then)) return false
    }
    return true
  }
}

/** The turns of a loop over a reversed list in the render before, of which the last ones may do the same again. */
class KnownTail {
  readonly known: LoopRecord
  readonly runs: TwoRuns
  /** Before this turn the rest is not that of the render before. */
  notBefore = 0

  constructor(known: LoopRecord, items: readonly Value[], growth: Growth | null) {
    const { turns, items: before } = known
    const shift = items.length - before.length
    const isGrown = shift >= 0 && hasGrown(known.growth, growth, true)
    let from = isGrown ? 0 : turns.length
    while (from > 0 && before[from - 1] === items[shift + from - 1]) from--
    this.known = known
    this.runs = { before, items, shift, same: [from, turns.length] }
  }
}

/** Whether a list is another with more items at that end. */
function hasGrown(before: Growth | null, now: Growth | null, isBackwards: boolean): boolean {
  return now !== null && now === before && now.isBackwards === isBackwards
}

/** Keeps ranges in order; there are few. */
function insert(ranges: Range[], range: Range): void {
  let at = ranges.length
  for (; at > 0 && (ranges[at - 1] as Range)[0] > range[0]; at--) ranges[at] = ranges[at - 1] as Range
  ranges[at] = range
}

interface Costs {
  readonly steps: number
  readonly produced: number
}

/** What a turn costs more than it did. */
interface Correction extends Costs {
  readonly index: number
}

/** Corrects what turns did together: those from each corrected one on, or in a loop over a reversed list those up to it. */
function correct(turns: readonly Turn[], corrections: readonly Correction[], { backwards }: LoopPlan): void {
  for (const { index, steps, produced } of corrections) {
    const turn = turns[index] as Turn
    turn.did = both(turn.did, { ...NOTHING_DONE, steps, produced })
  }
  const indices = corrections.map(({ index }) => index)
  let total = NOTHING_DONE
  if (backwards) {
    const last = Math.max(...indices)
    total = turns[last + 1]?.total ?? NOTHING_DONE
    for (let i = last; i >= 0; i--) (turns[i] as Turn).total = total = both((turns[i] as Turn).did, total)
  } else {
    const first = Math.min(...indices)
    total = turns[first - 1]?.total ?? NOTHING_DONE
    for (let i = first; i < turns.length; i++) {
      total = both(total, (turns[i] as Turn).did)
      ;(turns[i] as Turn).total = total
    }
  }
}

type Cell = LoopPlan['cells'][number]

const NO_CELLS: readonly (Entry | undefined)[] = []
const NO_FIXED: readonly Fixed[] = []
const EVERYWHERE: readonly Range[] = [[0, Number.POSITIVE_INFINITY]]
