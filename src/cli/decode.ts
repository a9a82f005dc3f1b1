import { SafetokensError } from '../errors.js'
import type { DecodedPart } from '../tokenizer/token-parts.js'
import { type TokenIds, Tokenizer } from '../tokenizer/tokenizer.js'
import { type Command, parse, UsageError } from './command.js'
import { readAll, standardInput } from './input.js'
import { payload } from './json.js'
import type { LineAnswer } from './json-lines.js'
import { MODEL_HELP, modelPath } from './model-option.js'
import { print } from './output.js'
import { terminalText } from './terminal.js'
import { answerInThreads, THREADS_HELP, threadCount } from './threaded-lines.js'

export const decode: Command = {
  name: 'decode',
  summary: 'token ids to text, or to text and control tokens apart',
  help: `Usage: safetokens decode --model MODEL [--json] [--skip-special-tokens] IDS...|-
       safetokens decode --model MODEL --jsonl [--skip-special-tokens]

Prints the text of token ids and a newline. The ids are separated by spaces or commas. In the text a control token
looks like its name spelled by text; --json keeps them apart. Never encode the text again to get a prompt.

Options:
  ${MODEL_HELP}
  --json         print {"text":"...","parts":[...]}, each part {"type":"text","text":"..."} or
                 {"type":"control","id":n,"name":"..."}
  --jsonl        standard input holds an array of ids or {"ids":[...],"id":...} a line; answer each as --json does,
                 with the id, if there is one, in order
  ${THREADS_HELP}
  --skip-special-tokens
                 leave control tokens out
  -              read the ids from standard input

On a terminal, control characters in the text are printed as escapes like \\x1b.

Examples:
  safetokens decode --model mini 8006 7936 346
  safetokens decode --model mini --json 8006,7936,346
  safetokens encode --model mini '<|system|> 你好' | safetokens decode --model mini -
  echo '{"id": "a", "ids": [8006, 7936, 346]}' | safetokens decode --model mini --jsonl --skip-special-tokens
`,
  async run(args, io) {
    const { values, positionals } = parse(args, {
      model: { type: 'string' },
      json: { type: 'boolean' },
      jsonl: { type: 'boolean' },
      threads: { type: 'string' },
      'skip-special-tokens': { type: 'boolean' },
    })
    const model = modelPath('decode', values.model)
    const fromInput = positionals.length === 1 && positionals[0] === '-'
    if (values.jsonl && positionals.length > 0 && !fromInput) {
      throw new UsageError('decode --jsonl reads standard input and takes no IDS')
    }
    if (!values.jsonl && positionals.length === 0) {
      throw new UsageError('decode needs IDS, or - for standard input')
    }
    const given = fromInput ? [] : parseIds(positionals.join(' '), (message) => new UsageError(message))
    const skipSpecialTokens = values['skip-special-tokens'] ?? false
    if (values.jsonl) {
      const job = { command: 'decode', model, skipSpecialTokens } as const
      return answerInThreads(() => standardInput(io), io, job, threadCount(values.threads))
    }
    const tokenizer = await Tokenizer.load(model)
    const ids = fromInput ? parseIds(await readAll(standardInput(io), 'drop'), badInput) : given
    const answered = decoded(tokenizer, ids, skipSpecialTokens)
    const plain = io.stdout.isTTY ? terminalText(answered.text) : answered.text
    await print(io.stdout, `${values.json ? JSON.stringify(answered) : plain}\n`)
    return 0
  },
}

/** What answers the lines of `--jsonl`. */
export async function decodeLineAnswer(model: string, skipSpecialTokens: boolean): Promise<LineAnswer> {
  const tokenizer = await Tokenizer.load(model)
  return (value) => decoded(tokenizer, payload(value, 'ids', 'an array of ids', isArray), skipSpecialTokens)
}

function decoded(
  tokenizer: Tokenizer,
  ids: TokenIds,
  skipSpecialTokens: boolean,
): { text: string; parts: DecodedPart[] } {
  return {
    text: tokenizer.decode(ids, { skipSpecialTokens }),
    parts: tokenizer.decodeParts(ids).filter((part) => part.type === 'text' || !skipSpecialTokens),
  }
}

/** The elements are checked by the tokenizer. */
const isArray = (value: unknown): value is number[] => Array.isArray(value)

const badInput = (message: string): Error => new SafetokensError('INVALID_INPUT', message)

/** Ids as people write them: `1 2 3`, `1,2,3` or `[1, 2, 3]`. */
function parseIds(text: string, failure: (message: string) => Error): number[] {
  const list = /^\s*\[([^[\]]*)\]\s*$/.exec(text)?.[1] ?? text
  return list
    .split(/[\s,]+/)
    .filter((word) => word !== '')
    .map((word) => {
      if (!/^\d+$/.test(word)) {
        const shown = JSON.stringify(word.length > 40 ? `${word.slice(0, 40)}…` : word)
        throw failure(`${shown} is not a token id; ids are whole numbers, separated by spaces or commas`)
      }
      return Number(word)
    })
}
