import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { type Io, UsageError } from './command.js'
import { blockBytes, type Input, type LineBlock, readLineBlocks } from './input.js'
import { answerLine, answerLines, type LineAnswer } from './json-lines.js'
import type { LineJob } from './line-jobs.js'
import type { AnsweredBlock } from './line-worker.js'
import { print } from './output.js'
import { ProgressBar } from './progress.js'
import type { OutputStream } from './terminal.js'

/** Line of help for `--threads`. */
export const THREADS_HELP: string =
  '--threads N    with --jsonl: worker threads for long inputs. Default: one for each core; 0: none'

/** So many bytes are answered before worker threads are worth their start. */
const ALONE = 2 ** 20
/** Blocks under way for each thread: enough that none waits, few enough that memory stays flat. */
const BLOCKS = 4
const MOST_THREADS = 256

/** @throws UsageError for what is no number of threads */
export function threadCount(value: string | undefined): number {
  if (value === undefined) return availableParallelism()
  if (!/^\d{1,3}$/.test(value) || Number(value) > MOST_THREADS) {
    throw new UsageError(
      `--threads must be a whole number up to ${MOST_THREADS}, not ${JSON.stringify(value)}`,
    )
  }
  return Number(value)
}

/**
 * Answers each line of an input as {@link answerLines} does, in order, the first ones in this thread and those of a
 * long input in several. Blocks of lines go out as they come in; a few for each thread are held.
 *
 * @param open is called when the model is there
 * @returns the exit code: 1 when a line was bad
 * @throws what loading the model throws; SafetokensError when the input cannot be read or the output closes
 */
export async function answerInThreads(
  open: () => Input,
  { stdout, stderr }: Pick<Io, 'stdout' | 'stderr'>,
  job: LineJob,
  threads: number,
): Promise<number> {
  const { lineAnswer } = await import('./line-jobs.js') // it imports the commands, which import this
  const answer = await lineAnswer(job)
  const input = open()
  if (threads === 0 || !existsSync(WORKER)) return answerLines(input, stdout, answer)
  const pipeline = new Pipeline(stdout, job, threads)
  // Where the answers go to the terminal, they are progress enough.
  const bar = stdout.isTTY ? undefined : new ProgressBar(stderr)
  let read = 0
  try {
    for await (const block of readLineBlocks(input)) {
      read += block.bytes?.length ?? 0
      bar?.update('MB read', Math.floor(read / 1e6), 0)
      // Once threads are at work all blocks are theirs, or a short one would overtake.
      if (read > ALONE) await pipeline.send(block)
      else await pipeline.answerHere(block, answer)
    }
    return await pipeline.finish()
  } finally {
    bar?.end()
    await pipeline.close()
  }
}

const WORKER = new URL('./line-worker.mjs', import.meta.url) // beside the built program; from source there is none

/** Blocks under way, and what is written of them, in order. */
class Pipeline {
  readonly #stdout: OutputStream
  readonly #job: LineJob
  readonly #threads: number
  #workers: LineWorker[] = []
  /** Writes the last block that was sent, behind all before it. */
  #written: Promise<void> = Promise.resolve()
  #underWay: Promise<void>[] = []
  #code = 0

  constructor(stdout: OutputStream, job: LineJob, threads: number) {
    this.#stdout = stdout
    this.#job = job
    this.#threads = threads
  }

  async answerHere({ bytes, firstLine }: LineBlock, answer: LineAnswer): Promise<void> {
    if (bytes === undefined) {
      this.#code = 1
      return print(this.#stdout, `${answerLine(undefined, firstLine, answer)[0]}\n`)
    }
    const input = { name: 'a block', bytes: blockBytes(bytes) }
    const code = await answerLines(input, this.#stdout, answer, { firstLine })
    this.#code = Math.max(this.#code, code)
  }

  /** Waits while too much is under way. */
  async send(block: LineBlock): Promise<void> {
    if (this.#workers.length < this.#threads) this.#workers.push(new LineWorker(this.#job))
    const [least] = [...this.#workers].sort((a, b) => a.waiting - b.waiting)
    const answering = (least as LineWorker).answer(block)
    const before = this.#written
    const writing = (async () => {
      const [{ bytes, code }] = await Promise.all([answering, before])
      this.#code = Math.max(this.#code, code)
      await print(this.#stdout, bytes)
    })()
    writing.catch(() => {}) // it is awaited later, here or in finish()
    this.#written = writing
    this.#underWay.push(writing)
    if (this.#underWay.length > this.#threads * BLOCKS) await this.#underWay.shift()
  }

  async finish(): Promise<number> {
    await this.#written
    return this.#code
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close()))
  }
}

/** A thread, which answers one block after the other. */
class LineWorker {
  readonly #worker: Worker
  readonly #waiting: PromiseWithResolvers[] = []
  #failed: Error | undefined

  constructor(job: LineJob) {
    this.#worker = new Worker(WORKER, { workerData: job })
    this.#worker.on('message', (answered: AnsweredBlock) => this.#waiting.shift()?.resolve(answered))
    this.#worker.on('error', (error: Error) => this.#fail(error))
    this.#worker.on('exit', () => this.#fail(new Error('a worker thread ended too early')))
  }

  get waiting(): number {
    return this.#waiting.length
  }

  answer({ bytes, firstLine }: LineBlock): Promise<AnsweredBlock> {
    return new Promise((resolve, reject) => {
      if (this.#failed !== undefined) return reject(this.#failed)
      this.#waiting.push({ resolve, reject })
      this.#worker.postMessage({ bytes: bytes && Uint8Array.from(bytes), firstLine })
    })
  }

  async close(): Promise<void> {
    this.#worker.removeAllListeners('exit')
    await this.#worker.terminate()
  }

  #fail(error: Error): void {
    this.#failed = error
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }
}

interface PromiseWithResolvers {
  resolve(answered: AnsweredBlock): void
  reject(error: Error): void
}
