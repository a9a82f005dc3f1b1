import { SafetokensError } from '../errors.js'
import { type Command, type Io, UsageError } from './command.js'
import { demoCommand } from './demo-command.js'
import { encode } from './encode.js'
import { packageVersion } from './package-files.js'

const COMMANDS: readonly Command[] = [encode, demoCommand]

const HELP = `safetokens: chats to token ids, where no text can produce a control token

Usage: safetokens COMMAND [options]

Commands:
${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(8)} ${summary}`).join('\n')}

"safetokens COMMAND --help" tells more. --version prints the version.
`

/** Runs the command line and gives the exit code: 0, 1 for an error, 2 for arguments that make no sense. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const [name, ...args] = argv
  try {
    if (name === '--version') {
      io.stdout.write(`${packageVersion()}\n`)
      return 0
    }
    if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
      io.stdout.write(HELP)
      return name === undefined ? 2 : 0
    }
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
    io.stderr.write(`safetokens: ${error.message}${hint}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}
