import { Chat } from '../chat/chat.js'
import type { EncodedChat } from '../chat/encoded-chat.js'
import type { EncodeChatOptions } from '../chat/prompt-maker.js'
import { type Command, choice, type Io, parse, UsageError } from './command.js'
import { requestOf } from './conversation.js'
import { checkNoTalk, TALK_HELP, TALK_OPTIONS, talkOptions } from './engine-options.js'
import { fileInput, readAll, standardInput } from './input.js'
import { parseJson } from './json.js'
import type { LineAnswer } from './json-lines.js'
import { MODEL_HELP, modelPath } from './model-option.js'
import { print } from './output.js'
import { talk } from './talk.js'
import { terminalText } from './terminal.js'
import { answerInThreads, THREADS_HELP, threadCount } from './threaded-lines.js'
import { tokenRows } from './token-rows.js'

export const chat: Command = {
  name: 'chat',
  summary: 'a conversation as JSON to the token ids of the prompt, or with an engine to its replies',
  help: `Usage: safetokens chat --model MODEL [options] [FILE|-]
       safetokens chat --model MODEL --engine URL [options] [FILE]

Prints the token ids of a conversation: a JSON array of messages, or an object with "messages", and with "tools" and
"documents" where the format has a place for them, from a file or from standard input. Roles place control tokens;
what the messages say never does. Tools keep the order of their keys and the spelling of their numbers.

Options:
  ${MODEL_HELP}
  --json         print {"ids":[...],"count":n,"eosTokenIds":[...],"guarantee":"...","warnings":[...]}
  --jsonl        the input holds a conversation a line; answer each as --json does, with the "id" of an object,
                 in order
  ${THREADS_HELP}
  --show         print the tokens: each control token starts a line, which begins with its place; ids below
  --format NAME  the chat format, for a model that does not tell, such as chatglm3
  --compat WORD  "safe" (default) refuses input that the reference would take silently, "exact" takes it as it does
  --no-generation-prompt
                 do not end with the beginning of an assistant turn
  --on-invalid WORD
                 turns in an unexpected order: "throw" is an error (default of safe), "warn" reports them (on standard
                 error, or in the JSON), "ignore" takes them (default of exact)
  --merge-consecutive
                 join user turns in a row, and observations, with a newline

${TALK_HELP}

Examples:
  echo '[{"role": "user", "content": "<|system|> is just text"}]' | safetokens chat --model mini
  echo '[{"role": "user", "content": "<|system|> is just text"}]' | safetokens chat --model mini --show
  echo '{"id": 1, "messages": [{"role": "user", "content": "Hi"}]}' | safetokens chat --model mini --jsonl
  echo '[{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]' | safetokens chat --model mini --json --merge-consecutive
`,
  async run(args, io) {
    const { values, positionals } = parse(args, {
      model: { type: 'string' },
      json: { type: 'boolean' },
      jsonl: { type: 'boolean' },
      threads: { type: 'string' },
      show: { type: 'boolean' },
      format: { type: 'string' },
      compat: { type: 'string' },
      'no-generation-prompt': { type: 'boolean' },
      'on-invalid': { type: 'string' },
      'merge-consecutive': { type: 'boolean' },
      ...TALK_OPTIONS,
    })
    const model = modelPath('chat', values.model)
    if (positionals.length > 1) throw new UsageError('chat takes one FILE, or - for standard input')
    if (values.show && (values.json || values.jsonl) && values.engine === undefined)
      throw new UsageError('--show is for people: no JSON with it')
    const options: EncodeChatOptions = {
      addGenerationPrompt: !values['no-generation-prompt'],
      onInvalid: choice('--on-invalid', values['on-invalid'], ['throw', 'warn', 'ignore']),
      mergeConsecutive: values['merge-consecutive'],
    }
    const load: ChatLoading = {
      format: values.format,
      compat: choice('--compat', values.compat, ['exact', 'safe']),
    }
    if (values.engine !== undefined) {
      const foreign = (['jsonl', 'no-generation-prompt', 'threads'] as const).find(
        (name) => values[name] !== undefined,
      )
      if (foreign !== undefined)
        throw new UsageError(`--${foreign} has no place in a conversation with an engine`)
      return talk(await talkOptions(await Chat.load(model, load), values, options, positionals[0]), io)
    }
    checkNoTalk(values)
    const [file = '-'] = positionals
    const open = () => (file === '-' ? standardInput(io) : fileInput(file))
    if (values.jsonl) {
      const job = { command: 'chat', model, load, options } as const
      return answerInThreads(open, io, job, threadCount(values.threads))
    }
    const loaded = await Chat.load(model, load)
    const text = await readAll(open(), 'drop')
    const encoded = encodeRequest(loaded, parseJson(text), text, options)
    if (values.json) {
      await print(io.stdout, `${JSON.stringify(answer(encoded))}\n`)
    } else {
      const warnings = encoded.warnings.map(({ index, message }) => `message ${index}: ${message}`)
      for (const warning of warnings) io.stderr.write(`safetokens: warning: ${terminalText(warning)}\n`)
      await print(io.stdout, `${values.show ? shown(loaded, encoded, io) : encoded.ids.join(' ')}\n`)
    }
    return 0
  },
}

/** How the chat of a model is loaded. */
export interface ChatLoading {
  readonly format: string | undefined
  readonly compat: 'exact' | 'safe' | undefined
}

/** What answers the lines of `--jsonl`. */
export async function chatLineAnswer(
  model: string,
  load: ChatLoading,
  options: EncodeChatOptions,
): Promise<LineAnswer> {
  const loaded = await Chat.load(model, load)
  return (value, text) => answer(encodeRequest(loaded, value, text, options))
}

function encodeRequest(loaded: Chat, value: unknown, text: string, options: EncodeChatOptions): EncodedChat {
  const request = requestOf(value, text)
  return loaded.encode(request.messages, { ...options, ...request.options })
}

/** The shape of `--json`. */
function answer({ ids, eosTokenIds, guarantee, warnings }: EncodedChat): object {
  return { ids: Array.from(ids), count: ids.length, eosTokenIds, guarantee, warnings }
}

/** The prompt for people; the rows of a prompt begin at its control tokens. */
function shown({ tokenizer }: Chat, encoded: EncodedChat, { stdout }: Io): string {
  const ids = Array.from(encoded.ids)
  const stops = `stop generating at the ids ${encoded.eosTokenIds.join(', ')}`
  const footer = `${ids.length} ids; ${stops}; guarantee: ${encoded.guarantee}`
  return [...tokenRows(tokenizer, ids, stdout), footer].join('\n')
}
