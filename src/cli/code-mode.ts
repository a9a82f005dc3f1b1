import { spawn } from 'node:child_process'
import type { Chat } from '../chat/chat.js'
import { type CodeExecutor, codeInterpreter, type ExecutionResult } from '../tools/code-interpreter.js'
import { defineTool } from '../tools/define-tool.js'
import { toolRegistry } from '../tools/registry.js'
import type { ToolRegistry } from '../tools/types.js'

/** Milliseconds that a program may take, and characters of its output that count. */
const TIME_LIMIT = 30_000
const OUTPUT_LIMIT = 2 ** 16

/** What models call their interpreter. ChatGLM3 was trained to write programs without a definition of it. */
const NAMES: Readonly<Record<string, string>> = { llama3: 'code_interpreter', harmony: 'python' }

/**
 * A code interpreter as the only tool.
 *
 * @param command a shell command that reads a program from its standard input; without it a person runs programs
 */
export function codeTools({ toolProtocol }: Chat, command: string | undefined): ToolRegistry {
  const tool = codeInterpreter(shellExecutor(command ?? ''), { name: NAMES[toolProtocol] })
  const { name, description, parameters } = tool
  const registry = toolRegistry([
    command === undefined ? defineTool({ name, description, parameters }) : tool,
  ])
  if (toolProtocol !== 'chatglm3') return registry
  return {
    names: registry.names,
    get: (wanted) => registry.get(wanted),
    has: (wanted) => registry.has(wanted),
    definitions: () => [],
    dispatch: (call, options) => registry.dispatch(call, options),
    dispatchAll: (calls, options) => registry.dispatchAll(calls, options),
  }
}

function shellExecutor(command: string): CodeExecutor {
  return {
    execute: (code, { signal }) =>
      new Promise<ExecutionResult>((resolve) => {
        let text = ''
        const program = spawn(command, { shell: true, timeout: TIME_LIMIT, ...(signal && { signal }) })
        const collect = (piece: Buffer): void => {
          if (text.length < OUTPUT_LIMIT) text = (text + piece.toString()).slice(0, OUTPUT_LIMIT)
        }
        program.stdout.on('data', collect)
        program.stderr.on('data', collect)
        program.stdin.on('error', () => {}) // it may end without reading all
        program.on('error', ({ message }) => resolve({ text, error: message }))
        program.on('close', (code, ended) => {
          const error =
            ended === null ? undefined : `ended by ${ended} after ${TIME_LIMIT / 1000} seconds at most`
          resolve({ text: text.trimEnd(), error: error ?? (code === 0 ? undefined : `exit code ${code}`) })
        })
        program.stdin.end(code)
      }),
  }
}
