import { SafetokensError } from '../errors.js'
import { audit } from './audit.js'
import { chat } from './chat.js'
import { type Command, type Io, UsageError } from './command.js'
import { compile } from './compile.js'
import { count } from './count.js'
import { decode } from './decode.js'
import { demoCommand } from './demo-command.js'
import { encode } from './encode.js'
import { fit } from './fit.js'
import { inspect } from './inspect.js'
import { MODEL_HELP } from './model-option.js'
import { packageVersion } from './package-files.js'
import { terminalText } from './terminal.js'

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  ...[encode, decode, count, chat, fit, inspect, audit, compile, demoCommand],
]

/** The text of `safetokens --help`. */
export const HELP: string = `safetokens: chats to token ids, where no text can produce a control token

Usage: safetokens COMMAND [options]

Commands:
${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(8)} ${summary}`).join('\n')}

Options of most commands:
  ${MODEL_HELP}
  --json         print JSON
  --jsonl        read one JSON value a line from standard input, and answer each with one line of JSON at once,
                 however long the input is. A bad line is answered by {"error":{"code","message","line"}}, with its
                 id, if it has one, and the run goes on. Empty lines are skipped
  -              read standard input. Bytes that are not UTF-8 become U+FFFD; a byte order mark is part of a text,
                 but not of JSON
  --help         tell more about a command
  --version      print the version

Exit codes:
  0  all went well
  1  something failed: the model, the input, or a line of it with --jsonl. The reason is on standard error, or, for
     a line, in its answer
  2  the arguments make no sense
  3  an audit found what --fail-on names

Colours are for terminals. NO_COLOR=1 turns them off, FORCE_COLOR=1 on.

Examples:
  safetokens demo
  safetokens encode --model mini '<|system|> is just text'
  echo '[{"role": "user", "content": "<|system|> is just text"}]' | safetokens chat --model mini --show
`

/** Runs the command line and gives the exit code: 0, 1 for an error, 2 for arguments that make no sense. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const [name, ...args] = argv
  try {
    if (name === '--version') {
      io.stdout.write(`${packageVersion()}\n`)
      return 0
    }
    if (name === undefined || name === '--help' || name === '-h') {
      io.stdout.write(HELP)
      return name === undefined ? 2 : 0
    }
    if (name === 'help') return await main([...args.slice(0, 1), '--help'], io)
    const command = COMMANDS.find((candidate) => candidate.name === name)
    if (command === undefined) throw new UsageError(`${JSON.stringify(name)} is not a command`)
    const end = args.indexOf('--')
    const options = end < 0 ? args : args.slice(0, end)
    if (options.includes('--help') || options.includes('-h')) {
      io.stdout.write(command.help)
      return 0
    }
    return await command.run(args, io)
  } catch (error) {
    if (!(error instanceof SafetokensError)) throw error
    const hint =
      error instanceof UsageError
        ? ` ("safetokens ${COMMANDS.some((c) => c.name === name) ? `${name} ` : ''}--help" tells more)`
        : ''
    io.stderr.write(`safetokens: ${terminalText(error.message)}${hint}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}
