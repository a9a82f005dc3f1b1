// A worker thread that answers blocks of lines, one after the other: see threaded-lines.ts.
import { parentPort, workerData } from 'node:worker_threads'
import { blockBytes, type LineBlock } from './input.js'
import { answerLine, answerLines, type LineAnswer } from './json-lines.js'
import { type LineJob, lineAnswer } from './line-jobs.js'

/** The answers to a block, as they are written. */
export interface AnsweredBlock {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The exit code: 1 when a line was bad. */
  readonly code: number
}

const loading = lineAnswer(workerData as LineJob)
const port = parentPort
let answered: Promise<void> = Promise.resolve()

port?.on('message', (block: LineBlock) => {
  answered = answered.then(async () => {
    const answer = await loading // a failure is an unhandled rejection, and so the worker's error
    const message = await answerBlock(block, answer)
    port.postMessage(message, [message.bytes.buffer])
  })
})

async function answerBlock({ bytes, firstLine }: LineBlock, answer: LineAnswer): Promise<AnsweredBlock> {
  if (bytes === undefined) {
    const [json] = answerLine(undefined, firstLine, answer)
    return { bytes: utf8(`${json}\n`), code: 1 }
  }
  let out = ''
  const collect = {
    write(text: string): void {
      out += text
    },
  }
  const code = await answerLines({ name: 'a block', bytes: blockBytes(bytes) }, collect, answer, {
    firstLine,
  })
  return { bytes: utf8(out), code }
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(text))
}
