import { writeFile } from 'node:fs/promises'
import type { EncodingName } from '../load/encodings.js'
import { compileModel } from '../tokenizer/compile-model.js'
import { type Command, parse, UsageError } from './command.js'
import { modelPath } from './model-option.js'
import { print } from './output.js'

export const compile: Command = {
  name: 'compile',
  summary: 'a model to one file that loads in milliseconds',
  help: `Usage: safetokens compile MODEL -o FILE [--encoding NAME] [--json]

Reads a model and writes all that its files say into one file, by custom called *.stk. Every command, Tokenizer.load
and Chat.load take the file for the model: ids, reserved tokens, chat template and warnings are the same.

Options:
  MODEL              a model folder, or a tokenizer's file; "mini" is the small model of this package
  -o, --output FILE  the file to write; one that is there is replaced
  --encoding NAME    of a tiktoken rank file that is not known, such as o200k_base
  --json             print {"file":"...","bytes":n}

Examples:
  safetokens compile mini -o mini.stk
  safetokens count --model mini.stk 'How long is this?'
`,
  async run(args, io) {
    const { values, positionals } = parse(args, {
      output: { type: 'string', short: 'o' },
      encoding: { type: 'string' },
      json: { type: 'boolean' },
    })
    const [model, ...others] = positionals
    const { output: file, encoding } = values
    if (model === undefined || others.length > 0) throw new UsageError('compile needs one MODEL')
    if (file === undefined) throw new UsageError('compile needs -o FILE')
    const bytes = await compileModel(modelPath('compile', model), {
      encoding: encoding as EncodingName | undefined,
    })
    await write(file, bytes)
    const answer = { file, bytes: bytes.length }
    await print(io.stdout, values.json ? `${JSON.stringify(answer)}\n` : `${file}: ${bytes.length} bytes\n`)
    return 0
  },
}

async function write(file: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFile(file, bytes)
  } catch (cause) {
    throw new UsageError(`${file} cannot be written: ${(cause as Error).message}`)
  }
}
