import { type Command, parse } from './command.js'
import { demo } from './demo.js'
import { defaultModelPath } from './package-files.js'

export const demoCommand: Command = {
  name: 'demo',
  summary: 'a conversation that tries to forge turns, through safetokens and through the usual path',
  help: `Usage: safetokens demo [--model MODEL] [--json]

Encodes a ChatGLM3 conversation in which the user, a tool's name and a tool's result all try to forge a system
turn: once as parts, where text stays text, and once as most servers do it, as one rendered string whose special
tokens are parsed. Needs the npm package @huggingface/tokenizers for the second.

Options:
  --model MODEL  a folder or .model file with ChatGLM3's vocabulary (default: the small model of this package)
  --json         print one JSON object instead of text

Examples:
  safetokens demo
  safetokens demo --model chatglm3-6b --json
`,
  run(args, io) {
    const { values } = parse(args, { model: { type: 'string' }, json: { type: 'boolean' } })
    return demo({ model: values.model ?? defaultModelPath(), json: values.json ?? false, stdout: io.stdout })
  },
}
