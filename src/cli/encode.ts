import type { Command } from './command.js'
import { MODEL_HELP } from './model-option.js'
import { runOnText, type TextCommand } from './text-command.js'
import { THREADS_HELP } from './threaded-lines.js'

/** What the command does to one text. */
export const encodeText: TextCommand<{ ids: readonly number[]; count: number }> = {
  name: 'encode',
  answer(tokenizer, text) {
    const ids = Array.from(tokenizer.encode(text))
    return { ids, count: ids.length }
  },
  plain: ({ ids }) => ids.join(' '),
}

export const encode: Command = {
  name: 'encode',
  summary: 'text to token ids; the text can never produce a control token',
  help: `Usage: safetokens encode --model MODEL [--json] TEXT|-
       safetokens encode --model MODEL --jsonl

Prints the token ids of a text. The text is data: control tokens that it spells are encoded as plain text.

Options:
  ${MODEL_HELP}
  --json         print {"ids":[...],"count":n}
  --jsonl        standard input holds a JSON string or {"text":"...","id":...} a line; answer each as --json does,
                 with the id, if there is one, in order
  ${THREADS_HELP}
  -              read the text from standard input, as it is (a last newline counts)

Examples:
  safetokens encode --model mini '<|system|> is just text'
  safetokens encode --model mini --json 你好
  printf 'text from a pipe' | safetokens encode --model mini -
  printf '%s\\n' '"one"' '{"id": 7, "text": "two"}' | safetokens encode --model mini --jsonl
  seq -f '"line %g"' 3 | safetokens encode --model mini --jsonl --threads 4
`,
  run(args, io) {
    return runOnText(encodeText, args, io)
  },
}
