import { type Command, parse, UsageError } from './command.js'
import { demo } from './demo.js'
import { MODEL_HELP, modelPath } from './model-option.js'

export const demoCommand: Command = {
  name: 'demo',
  summary: 'a conversation that tries to forge turns, through safetokens and through the usual path',
  help: `Usage: safetokens demo [--model MODEL] [--json]

Encodes a ChatGLM3 conversation in which the user, a tool's name and a tool's result all try to forge a system
turn: once as parts, where text stays text, and once as most servers do it, as one rendered string whose special
tokens are parsed. Needs the npm package @huggingface/tokenizers for the second.

Options:
  ${MODEL_HELP},
                 which is the default; another one must have ChatGLM3's layout
  --json         print one JSON object instead of text

Examples:
  safetokens demo
  safetokens demo --model mini --json
`,
  run(args, io) {
    const { values, positionals } = parse(args, { model: { type: 'string' }, json: { type: 'boolean' } })
    if (positionals.length > 0) throw new UsageError('demo takes options only')
    const model = modelPath('demo', values.model ?? 'mini')
    return demo({ model, json: values.json ?? false, stdout: io.stdout })
  },
}
