// The program of a child process that compares one tokenizer with its reference implementation and says how:
//   node child.mjs NAME STRINGS SEED
import { compare, type Difference } from './compare.js'
import { realTokenizer } from './tokenizers.js'

export interface Report {
  readonly texts: number
  readonly lists: number
  readonly differences: readonly Difference[]
  readonly seconds: number
  readonly ours: Cost
  readonly theirs: Cost
}

/** What it costs to load a file whose bytes are in memory. */
interface Cost {
  readonly loadMs: number
  /** Growth of the resident memory, garbage collected. */
  readonly megabytes: number
}

const [name = '', strings = '', seed = ''] = process.argv.slice(2)
const tokenizer = realTokenizer(name)
const bytes = tokenizer.read()
if (bytes === undefined) {
  process.send?.(undefined)
} else {
  const [ours, oursCost] = measure(() => tokenizer.load(bytes))
  const [theirs, theirsCost] = measure(() => tokenizer.reference(bytes))
  const started = performance.now()
  const { texts, lists, differences } = await compare(ours, theirs, Number(strings), Number(seed))
  const seconds = (performance.now() - started) / 1000
  const report: Report = { texts, lists, differences, seconds, ours: oursCost, theirs: theirsCost }
  process.send?.(report)
}

function measure<T>(load: () => T): [T, Cost] {
  const before = residentBytes()
  const started = performance.now()
  const loaded = load()
  const loadMs = performance.now() - started
  return [loaded, { loadMs, megabytes: (residentBytes() - before) / 2 ** 20 }]
}

function residentBytes(): number {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage.rss()
}
