// A code interpreter for ChatGLM3 that runs Python in a process with limits. A program of a model is a program of a
// stranger: a process with limits keeps it from hanging or filling the machine, and nothing more. It can read what its
// user can read. For real use put it into a container or a virtual machine without network.
//
//   node examples/code-interpreter.mjs --run     runs a small program; without --run nothing is run
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { codeInterpreter, TRUNCATION, toolRegistry } from 'safetokens'

/** Seconds of processor time, bytes of memory, of a file and of output, and milliseconds in all. */
const LIMITS = { cpu: 4, memory: 512 * 2 ** 20, file: 16 * 2 ** 20, output: 64 * 2 ** 10, time: 15_000 }

/** Sets limits, then runs the program that comes on standard input; the value of a last expression is printed. */
const RUNNER = `
import ast, resource, sys
for what, limit in ((resource.RLIMIT_CPU, ${LIMITS.cpu}), (resource.RLIMIT_AS, ${LIMITS.memory}),
                    (resource.RLIMIT_FSIZE, ${LIMITS.file}), (resource.RLIMIT_NPROC, 64)):
    resource.setrlimit(what, (limit, limit))
tree = ast.parse(sys.stdin.read(), 'program')
scope = {'__name__': '__main__'}
last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
exec(compile(tree, 'program', 'exec'), scope)
if last is not None:
    value = eval(compile(ast.Expression(last.value), 'program', 'eval'), scope)
    if value is not None: print(repr(value))
`

/** @type {import('safetokens').CodeExecutor} */
export const pythonProcess = {
  async execute(code, { signal }) {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'interpreter-'))
    try {
      return await run(code, folder, signal)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}

function run(code, folder, signal) {
  return new Promise((resolve) => {
    // -I: neither the environment nor the folder add modules. The environment of this process stays here.
    const child = spawn('python3', ['-I', '-c', RUNNER], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '' },
      timeout: LIMITS.time,
      killSignal: 'SIGKILL',
      signal,
    })
    let text = ''
    let error = ''
    const take = (stream, keep) => {
      stream.setEncoding('utf8')
      stream.on('data', (piece) => {
        if (text.length + error.length < LIMITS.output) keep(piece)
        else child.kill('SIGKILL')
      })
    }
    take(child.stdout, (piece) => {
      text += piece
    })
    take(child.stderr, (piece) => {
      error += piece
    })
    child.on('error', (reason) => resolve({ error: String(reason) }))
    child.on('close', (status, killed) => {
      const ended = killed === null ? '' : `stopped by a limit (${killed})`
      resolve({
        text: text.trimEnd(),
        error: status === 0 ? undefined : `${error.trimEnd()}${ended}` || ended,
      })
    })
    child.stdin.on('error', () => undefined) // it may end before it has read all
    child.stdin.end(code)
  })
}

export const registry = toolRegistry([codeInterpreter(pythonProcess)], { limit: TRUNCATION['chatglm3-demo'] })

if (process.argv.includes('--run')) {
  const code = 'import math\n[round(math.sqrt(n), 3) for n in range(5)]'
  const call = { id: 'call_1', name: 'interpreter', rawArguments: code, json: '{}', arguments: { code } }
  process.stdout.write(`${(await registry.dispatch(call)).content}\n`)
} else if (process.argv[1] === import.meta.filename) {
  process.stdout.write('This example runs a program with your rights: pass --run to do so.\n')
}
