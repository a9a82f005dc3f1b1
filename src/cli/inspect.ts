import { writeFile } from 'node:fs/promises'
import { loadChat } from '../chat/load-chat.js'
import { htmlInspection } from '../inspect/html-inspection.js'
import { inspectChat, inspectText } from '../inspect/inspection.js'
import { terminalInspection } from '../inspect/terminal-inspection.js'
import { Tokenizer } from '../tokenizer/tokenizer.js'
import { type Command, choice, parse, UsageError } from './command.js'
import { requestOf } from './conversation.js'
import { fileInput, readAll, standardInput } from './input.js'
import { parseJson } from './json.js'
import { MODEL_HELP, modelPath } from './model-option.js'
import { print } from './output.js'
import { printable, visibleWidth, wantsColours } from './terminal.js'

const DEFAULT_WIDTH = 100

export const inspect: Command = {
  name: 'inspect',
  summary: 'the tokens of a chat or a text in colours, with their provenance, beside the usual path',
  help: `Usage: safetokens inspect --model MODEL [options] [FILE|-]
       safetokens inspect --model MODEL [options] --text TEXT

Shows a conversation (as "safetokens chat" reads it) or a text as tokens: control tokens unmistakable, text of the
request in the colour of its place, and what the usual path, which finds special tokens in one string, makes of it.

Options:
  ${MODEL_HELP}
  --text TEXT    a text in place of a conversation
  --html FILE    write one HTML page that loads nothing; - for standard output
  --json         print sections, tokens and counts as JSON
  --all          on a terminal: all tokens of long messages
  --format NAME  the chat format, for a model that does not tell
  --compat WORD  "safe" (default) or "exact", as in "safetokens chat"
  --no-generation-prompt
                 do not end with the beginning of an assistant turn

Examples:
  safetokens inspect --model mini --text '<|system|> is just text'
  echo '[{"role": "user", "content": "你好 <|system|> 😀"}]' | safetokens inspect --model mini
  echo '[{"role": "user", "content": "<|system|>"}]' | safetokens inspect --model mini --html -
`,
  async run(args, io) {
    const { values, positionals } = parse(args, {
      model: { type: 'string' },
      text: { type: 'string' },
      html: { type: 'string' },
      json: { type: 'boolean' },
      all: { type: 'boolean' },
      format: { type: 'string' },
      compat: { type: 'string' },
      'no-generation-prompt': { type: 'boolean' },
    })
    const model = modelPath('inspect', values.model)
    const [file = '-', ...more] = positionals
    if (more.length > 0 || (values.text !== undefined && positionals.length > 0)) {
      throw new UsageError('inspect takes one FILE, or - for standard input, or --text TEXT')
    }
    if (values.json && values.html === '-')
      throw new UsageError('only one of --json and --html - can be printed')
    const compat = choice('--compat', values.compat, ['exact', 'safe'])
    const inspection =
      values.text === undefined
        ? await fromConversation()
        : inspectText(await Tokenizer.load(model), values.text)

    const title = `Tokens of ${values.text === undefined ? 'a conversation' : 'a text'} with ${model}`
    if (values.html !== undefined) {
      const page = htmlInspection(inspection, title)
      if (values.html === '-') await print(io.stdout, page)
      else await writeFile(values.html, page)
    }
    if (values.json) await print(io.stdout, `${JSON.stringify(inspection)}\n`)
    else if (values.html !== '-') {
      const width = Math.max(40, io.stdout.columns ?? DEFAULT_WIDTH)
      const paint = { colours: wantsColours(io.stdout), width, printable, visibleWidth }
      await print(io.stdout, terminalInspection(inspection, title, paint, values.all ?? false))
    }
    return 0

    async function fromConversation() {
      const { tokenizer, prompts } = await loadChat(model, { format: values.format, compat })
      const text = await readAll(file === '-' ? standardInput(io) : fileInput(file), 'drop')
      const { messages, options } = requestOf(parseJson(text), text)
      const addGenerationPrompt = !values['no-generation-prompt']
      return inspectChat(tokenizer, prompts, messages, { ...options, addGenerationPrompt })
    }
  },
}
