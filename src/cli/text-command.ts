import { Tokenizer } from '../tokenizer/tokenizer.js'
import { type Io, parse, UsageError } from './command.js'
import { readAll, standardInput } from './input.js'
import { payload } from './json.js'
import { answerLines } from './json-lines.js'
import { modelPath } from './model-option.js'
import { print } from './output.js'

/** A command that makes something of a text. */
export interface TextCommand<T extends object> {
  readonly name: string
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
  const tokenizer = await Tokenizer.load(model)
  const input = standardInput(io)
  if (values.jsonl) {
    return answerLines(input, io.stdout, (value) =>
      command.answer(tokenizer, payload(value, 'text', 'a string', isString)),
    )
  }
  const answer = command.answer(tokenizer, text === '-' ? await readAll(input, 'keep') : text)
  await print(io.stdout, `${values.json ? JSON.stringify(answer) : command.plain(answer)}\n`)
  return 0
}

const isString = (value: unknown): value is string => typeof value === 'string'
