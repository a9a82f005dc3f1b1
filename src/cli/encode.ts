import { Tokenizer } from '../tokenizer/tokenizer.js'
import { type Command, parse, readAll, UsageError } from './command.js'

export const encode: Command = {
  name: 'encode',
  summary: 'text to token ids; the text can never produce a control token',
  help: `Usage: safetokens encode --model MODEL [--json] TEXT|-

Prints the token ids of a text. The text is data: control tokens that it spells are encoded as plain text.

Options:
  --model MODEL  a model folder, or a SentencePiece .model file
  --json         print {"ids":[...],"count":n}
  -              read the text from standard input, as it is (a last newline counts)

Examples:
  safetokens encode --model models/mini-chatglm3 '<|system|> is just text'
  safetokens encode --model tokenizer.model --json - < prompt.txt
`,
  async run(args, io) {
    const { values, positionals } = parse(args, { model: { type: 'string' }, json: { type: 'boolean' } })
    if (values.model === undefined) throw new UsageError('encode needs --model MODEL')
    if (positionals.length !== 1) throw new UsageError('encode needs one TEXT, or - for standard input')
    const [text = ''] = positionals
    const tokenizer = await Tokenizer.load(values.model)
    const ids = Array.from(tokenizer.encode(text === '-' ? await readAll(io.stdin) : text))
    io.stdout.write(`${values.json ? JSON.stringify({ ids, count: ids.length }) : ids.join(' ')}\n`)
    return 0
  },
}
