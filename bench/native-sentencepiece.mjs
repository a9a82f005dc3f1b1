// SentencePiece itself, by way of its Python module, where this machine has it: a process that takes its own time.
import { spawn, spawnSync } from 'node:child_process'
import path from 'node:path'
import readline from 'node:readline'

const PYTHON = process.env.BENCH_PYTHON ?? 'python3'
const SCRIPT = path.join(import.meta.dirname, 'native_sentencepiece.py')

/** Of the module, or undefined where there is none. */
export function nativeVersion() {
  const { status, stdout } = spawnSync(PYTHON, [SCRIPT], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

/** @returns {import('./peers.mjs').Engine} */
export function nativeSentencePiece(file) {
  const child = spawn(PYTHON, [SCRIPT, file], { stdio: ['pipe', 'pipe', 'ignore'] })
  const lines = readline.createInterface({ input: child.stdout })
  const waiting = []
  lines.on('line', (line) => waiting.shift().resolve(JSON.parse(line)))
  const fail = () => {
    for (const { reject } of waiting.splice(0)) reject(new Error(`${PYTHON} ended`))
  }
  child.on('error', fail).on('exit', fail)
  const ask = (request) =>
    new Promise((resolve, reject) => {
      waiting.push({ resolve, reject })
      child.stdin.write(`${JSON.stringify(request)}\n`)
    })
  return {
    waits: true,
    encode: async (text) => (await ask({ text })).ids,
    encodeAll: async (texts) => (await ask({ texts })).ms,
  }
}
