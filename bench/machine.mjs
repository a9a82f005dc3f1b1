// Where and when it is measured, and the program `limit` (limit.cpp).
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { buildFolder } from './places.mjs'

const program = path.join(buildFolder, process.platform === 'win32' ? 'limit.exe' : 'limit')

export function machine() {
  return {
    date: new Date().toISOString(),
    cpu: os.cpus()[0].model,
    cpus: os.cpus().length,
    memory: `${Math.round(os.totalmem() / 2 ** 30)} GB`,
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    node: process.version,
  }
}

/** Compiles `limit`. Gives false where there is no compiler; then there are no clock stamps either. */
export function buildLimit(log) {
  const source = path.join(import.meta.dirname, 'limit.cpp')
  if (existsSync(program) && statSync(program).mtimeMs > statSync(source).mtimeMs) return true
  mkdirSync(buildFolder, { recursive: true })
  const compiler = process.env.CXX ?? 'c++'
  const { status, error } = spawnSync(compiler, ['-O2', '-std=c++20', source, '-o', program], {
    encoding: 'utf8',
  })
  if (status === 0) return true
  log(`the limit is left out: ${compiler} failed (${error?.message ?? `exit code ${status}`})`)
  return false
}

/** The clock of a core right now, in GHz; less when others use it. */
export function clock() {
  const { status, stdout } = spawnSync(program, ['--clock'], { encoding: 'utf8' })
  return status === 0 ? Number(stdout) : undefined
}

/** Milliseconds of each round of the split-and-look-up loop over the documents. */
export function limit(documents, rounds) {
  const file = path.join(buildFolder, 'documents.txt')
  writeFileSync(file, documents.join('\n'))
  const { stdout } = spawnSync(program, [file, String(rounds)], { encoding: 'utf8' })
  return { ms: stdout.trim().split('\n').map(Number), bytes: statSync(file).size }
}
