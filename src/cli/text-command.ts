import { Tokenizer } from '../tokenizer/tokenizer.js'
import { type Io, parse, UsageError } from './command.js'
import { readAll, standardInput } from './input.js'
import { payload } from './json.js'
import type { LineAnswer } from './json-lines.js'
import { modelPath } from './model-option.js'
import { print } from './output.js'
import { answerInThreads, threadCount } from './threaded-lines.js'

/** A command that makes something of a text. */
export interface TextCommand<T extends object> {
  readonly name: 'encode' | 'count'
  /** The answer as it stands in JSON. */
  answer(tokenizer: Tokenizer, text: string): T
  /** The answer for `--json` left out. */
  plain(answer: T): string
}

/** Runs a command on the one TEXT, on standard input, or on each line of it. */
export async function runOnText<T extends object>(
  command: TextCommand<T>,
  args: readonly string[],
  io: Io,
): Promise<number> {
  const { values, positionals } = parse(args, {
    model: { type: 'string' },
    json: { type: 'boolean' },
    jsonl: { type: 'boolean' },
    threads: { type: 'string' },
  })
  const { name } = command
  const model = modelPath(name, values.model)
  const [text = '-'] = positionals
  if (values.jsonl && (positionals.length > 1 || text !== '-')) {
    throw new UsageError(`${name} --jsonl reads standard input and takes no TEXT`)
  }
  if (!values.jsonl && positionals.length !== 1) {
    throw new UsageError(`${name} needs one TEXT, or - for standard input`)
  }
  if (values.jsonl)
    return answerInThreads(() => standardInput(io), io, { command: name, model }, threadCount(values.threads))
  const tokenizer = await Tokenizer.load(model)
  const answer = command.answer(tokenizer, text === '-' ? await readAll(standardInput(io), 'keep') : text)
  await print(io.stdout, `${values.json ? JSON.stringify(answer) : command.plain(answer)}\n`)
  return 0
}

/** What answers the lines of `--jsonl`. */
export async function textLineAnswer<T extends object>(
  { answer }: TextCommand<T>,
  model: string,
): Promise<LineAnswer> {
  const tokenizer = await Tokenizer.load(model)
  return (value) => answer(tokenizer, payload(value, 'text', 'a string', isString))
}

const isString = (value: unknown): value is string => typeof value === 'string'
