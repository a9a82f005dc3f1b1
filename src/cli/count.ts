import type { Command } from './command.js'
import { MODEL_HELP } from './model-option.js'
import { runOnText, type TextCommand } from './text-command.js'
import { THREADS_HELP } from './threaded-lines.js'

/** What the command does to one text. */
export const countText: TextCommand<{ count: number }> = {
  name: 'count',
  answer: (tokenizer, text) => ({ count: tokenizer.count(text) }),
  plain: (answer) => String(answer.count),
}

export const count: Command = {
  name: 'count',
  summary: 'how many tokens a text has',
  help: `Usage: safetokens count --model MODEL [--json] TEXT|-
       safetokens count --model MODEL --jsonl

Prints the number of ids that "safetokens encode" would print.

Options:
  ${MODEL_HELP}
  --json         print {"count":n}
  --jsonl        standard input holds a JSON string or {"text":"...","id":...} a line; answer each as --json does,
                 with the id, if there is one, in order
  ${THREADS_HELP}
  -              read the text from standard input, as it is (a last newline counts)

Examples:
  safetokens count --model mini 'How long is this?'
  printf 'text from a pipe' | safetokens count --model mini --json -
  printf '%s\\n' '"one"' '{"id": 7, "text": "two"}' | safetokens count --model mini --jsonl
`,
  run(args, io) {
    return runOnText(countText, args, io)
  },
}
