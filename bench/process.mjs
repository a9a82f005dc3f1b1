// A child process that measures one peer with one model.
import { fork } from 'node:child_process'
import path from 'node:path'

/** Longer than this, a round is given up. */
const MOST_MS = 180_000

export class PeerProcess {
  #child
  #options

  /** @param options `peer`, `model`, `quick`, `chats`, `threads` */
  constructor(options) {
    this.#options = options
  }

  /** Runs a workload once; gives what it took, or `failed` with the reason. */
  ask(workload) {
    this.#child ??= fork(path.join(import.meta.dirname, 'child.mjs'), [JSON.stringify(this.#options)], {
      execArgv: ['--expose-gc', '--max-old-space-size=8192'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const child = this.#child
    return new Promise((resolve) => {
      const finish = (answer) => {
        clearTimeout(timer)
        child.removeAllListeners()
        if (answer.failed) this.end()
        resolve(answer)
      }
      const timer = setTimeout(() => finish({ failed: `over ${MOST_MS / 1000} s` }), MOST_MS)
      child.once('message', finish)
      child.once('exit', (code, signal) =>
        finish({ failed: `the process ended (${signal ?? `code ${code}`})` }),
      )
      child.send(workload)
    })
  }

  end() {
    this.#child?.kill('SIGKILL')
    this.#child = undefined
  }
}
