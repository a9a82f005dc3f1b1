import { Chat } from '../chat/chat.js'
import { countAnswer, countPicture, countRequest, inputOf } from './chat-tokens.js'
import { type Command, type Io, parse } from './command.js'
import { readAll } from './input.js'
import { parseJson } from './json.js'
import { MODEL_HELP, modelPath } from './model-option.js'
import { print } from './output.js'
import { palette, wantsColours } from './terminal.js'
import { runOnText, type TextCommand } from './text-command.js'
import { answerInThreads, THREADS_HELP, threadCount } from './threaded-lines.js'

/** What the command does to one text. */
export const countText: TextCommand<{ count: number }> = {
  name: 'count',
  answer: (tokenizer, text) => ({ count: tokenizer.count(text) }),
  plain: (answer) => String(answer.count),
}

export const count: Command = {
  name: 'count',
  summary: 'how many tokens a text or a conversation has, and where they go',
  help: `Usage: safetokens count --model MODEL [--json] TEXT|-
       safetokens count --model MODEL --jsonl
       safetokens count --chat --model MODEL [--json|--jsonl] [FILE|-]

Prints the number of ids that "safetokens encode" would print. With --chat, the input is a conversation as for
"safetokens chat", and a picture shows where its tokens go: content, calls, tools, what the template writes.

Options:
  ${MODEL_HELP}
  --chat         the input is a conversation, from a file or from standard input
  --format NAME  the chat format, for a model that does not tell
  --json         print {"count":n}; with --chat also "sources" and, in order, "messages"
  --jsonl        standard input holds a JSON string or {"text":"...","id":...} a line, with --chat a conversation;
                 answer each as --json does, with the id, if there is one, in order
  ${THREADS_HELP}
  -              read the text from standard input, as it is (a last newline counts)

Examples:
  safetokens count --model mini 'How long is this?'
  printf 'text from a pipe' | safetokens count --model mini --json -
  printf '%s\\n' '"one"' '{"id": 7, "text": "two"}' | safetokens count --model mini --jsonl
  echo '[{"role": "user", "content": "How long is this?"}]' | safetokens count --model mini --chat
`,
  run(args, io) {
    return args.includes('--chat') ? countChat(args, io) : runOnText(countText, args, io)
  },
}

async function countChat(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parse(args, {
    model: { type: 'string' },
    chat: { type: 'boolean' },
    format: { type: 'string' },
    json: { type: 'boolean' },
    jsonl: { type: 'boolean' },
    threads: { type: 'string' },
  })
  const model = modelPath('count', values.model)
  const open = inputOf('count --chat', positionals, io)
  const { format } = values
  const threads = threadCount(values.threads)
  if (values.jsonl) return answerInThreads(open, io, { command: 'count --chat', model, format }, threads)
  const chat = await Chat.load(model, { format })
  const text = await readAll(open(), 'drop')
  const result = countRequest(chat, parseJson(text), text)
  const { stdout } = io
  const picture = () => countPicture(result, stdout.columns ?? 80, palette(wantsColours(stdout)))
  await print(stdout, `${values.json ? JSON.stringify(countAnswer(result)) : picture().join('\n')}\n`)
  return 0
}
