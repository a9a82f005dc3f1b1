import { INTERPRETER } from '../chat/formats/chatglm3.js'
import { InvalidArgumentError } from '../errors.js'
import { unicodePattern } from '../unicode-pattern.js'
import { defineTool } from './define-tool.js'
import type { Tool, ToolContext } from './types.js'

const lineEnd = unicodePattern(String.raw`[\p{Cc}\u2028\u2029]`)

/** What a program gave. */
export interface ExecutionResult {
  /** What it printed, and the value of its last expression. */
  readonly text?: string | undefined
  /** It made images, which the model is only told of. */
  readonly images?: readonly Uint8Array[] | undefined
  /** What went wrong, as the model should read it: a traceback, a limit. */
  readonly error?: string | undefined
}

/**
 * Runs programs that a model wrote. Where and with what limits is for you to say: a program of a model is a program of a
 * stranger. examples/code-interpreter shows one in a process with limits.
 */
export interface CodeExecutor {
  execute(code: string, context: ToolContext): Promise<ExecutionResult>
}

/** What stands for an image in the text that the model reads. */
export const IMAGE_MARK = '[Image]'

/**
 * ChatGLM3's code interpreter as a tool: a turn of `interpreter` is a call with `code`, and its result is the observation.
 *
 * @param options.name what the model calls it. Default `interpreter`; Llama 3 has `code_interpreter`, gpt-oss `python`
 * @example toolRegistry([codeInterpreter(executor), weather])
 */
export function codeInterpreter(
  executor: CodeExecutor,
  { name = INTERPRETER }: { readonly name?: string | undefined } = {},
): Tool<{ code: string }> {
  if (typeof executor?.execute !== 'function') {
    throw new InvalidArgumentError('codeInterpreter: an object with execute(code, context) was expected')
  }
  return defineTool<{ code: string }>({
    name,
    description: 'Runs Python and gives what it prints.',
    parameters: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
    execute: async ({ code }, context) => observation(await executor.execute(code, context)),
  })
}

/**
 * What a program gave, as ChatGLM3 reads it: a fenced block of `result`; `[Image]` stands for an image.
 *
 * Source of behaviour: PROMPT.md and the composite demo of THUDM/ChatGLM3@b0b4e8ac.
 *
 * @example observation({ text: '[1, 2]' })  // "```result\n[1, 2]\n```"
 */
export function observation({ text = '', images = [], error }: ExecutionResult): string {
  const parts = [...(text === '' ? [] : [text]), ...(error === undefined ? [] : [error])]
  const printed = parts.length > 0 || images.length === 0 ? `\`\`\`result\n${parts.join('\n')}\n\`\`\`` : ''
  return [...(printed === '' ? [] : [printed]), ...images.map(() => IMAGE_MARK)].join('\n')
}

/** A file that the user gave to the interpreter. */
export interface UploadedFile {
  /** Where the program finds it, such as `/mnt/data/table.csv`. */
  readonly path: string
  /** In bytes. */
  readonly size: number
}

/**
 * The lines that tell ChatGLM3 of files, in front of a question.
 *
 * Source of behaviour: PROMPT.md of THUDM/ChatGLM3@b0b4e8ac.
 *
 * @throws InvalidArgumentError for a path with a line end, which could imitate another line
 * @example withUploadedFiles('Any gaps?', [{ path: '/mnt/data/a.csv', size: 35380 }])
 * // '#File: /mnt/data/a.csv\n#Size: 35380\n#File uploaded\nAny gaps?'
 */
export function withUploadedFiles(question: string, files: readonly UploadedFile[]): string {
  const lines = files.map(({ path, size }) => {
    if (typeof path !== 'string' || path === '' || lineEnd().test(path)) {
      throw new InvalidArgumentError('withUploadedFiles: a path of one line was expected')
    }
    if (!Number.isSafeInteger(size) || size < 0) {
      throw new InvalidArgumentError('withUploadedFiles: size must be a whole number from 0')
    }
    return `#File: ${path}\n#Size: ${size}\n#File uploaded\n`
  })
  return lines.join('') + question
}
