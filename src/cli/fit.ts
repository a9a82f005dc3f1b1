import { fitWithoutSummary } from '../budget/fit.js'
import type { FitOptions, FitStrategy, FittedChat } from '../budget/fit-options.js'
import { Chat } from '../chat/chat.js'
import type { ChatMessage } from '../chat/messages.js'
import { inputOf } from './chat-tokens.js'
import { type Command, parse, UsageError } from './command.js'
import { requestOf } from './conversation.js'
import { readAll } from './input.js'
import { parseJson } from './json.js'
import type { LineAnswer } from './json-lines.js'
import { MODEL_HELP, modelPath } from './model-option.js'
import { print } from './output.js'
import { type Palette, palette, wantsColours } from './terminal.js'
import { answerInThreads, THREADS_HELP, threadCount } from './threaded-lines.js'
import { tokenBars } from './token-bars.js'

export const fit: Command = {
  name: 'fit',
  summary: 'makes a conversation fit into a context window',
  help: `Usage: safetokens fit --model MODEL [--window N] [options] [FILE|-]

Leaves out the oldest rounds of a conversation until it fits, never its instructions or the last question, and shows
where the window goes. A tool call and its results go together. What goes is no more than has to.

Options:
  ${MODEL_HELP}
  --window N     tokens for prompt and reply together; default: what the model's files say
  --reply N      tokens of the window that are left for the reply; default 0
  --truncate N   cut results of tools to N tokens before rounds go, oldest first, and no more than it takes
  --last-rounds N
                 keep no more than the last N rounds, even if more would fit
  --pin I        message I stays, with its round; may be given several times
  --format NAME  the chat format, for a model that does not tell
  --json         print {"messages":[...],"kept":[indices],"dropped":[indices],"truncated":[...],"count":n,"budget":n}
  --jsonl        the input holds a conversation a line; answer each as --json does, with the "id" of an object,
                 in order
  ${THREADS_HELP}

Examples:
  echo '[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}, {"role": "user", "content": "How are you?"}]' | safetokens fit --model mini --window 20
  echo '{"id": 1, "messages": [{"role": "user", "content": "Hi"}]}' | safetokens fit --model mini --window 4096 --reply 512 --jsonl
`,
  async run(args, io) {
    const { values, positionals } = parse(args, {
      model: { type: 'string' },
      window: { type: 'string' },
      reply: { type: 'string' },
      truncate: { type: 'string' },
      'last-rounds': { type: 'string' },
      pin: { type: 'string', multiple: true },
      format: { type: 'string' },
      json: { type: 'boolean' },
      jsonl: { type: 'boolean' },
      threads: { type: 'string' },
    })
    const model = modelPath('fit', values.model)
    const truncate = wholeNumber('--truncate', values.truncate)
    const lastRounds = wholeNumber('--last-rounds', values['last-rounds'])
    const strategy: FitStrategy[] = [
      ...(lastRounds === undefined ? [] : [{ lastRounds }]),
      ...(truncate === undefined ? [] : [{ truncate: { maxTokens: truncate, marker: ' […]' } }]),
      'drop-oldest',
    ]
    const options: FitOptions = {
      contextWindow: wholeNumber('--window', values.window),
      reserveForReply: wholeNumber('--reply', values.reply),
      pinned: values.pin?.map((index) => wholeNumber('--pin', index) as number),
      strategy,
    }
    const open = inputOf('fit', positionals, io)
    const { format } = values
    const threads = threadCount(values.threads)
    if (values.jsonl) return answerInThreads(open, io, { command: 'fit', model, format, options }, threads)
    const chat = await chatToFit(model, format, options)
    const text = await readAll(open(), 'drop')
    const value = parseJson(text)
    const { own, result } = fitRequest(chat, value, text, options)
    const { stdout } = io
    const shown = () => picture(chat, result, own, stdout.columns ?? 80, palette(wantsColours(stdout)))
    await print(stdout, `${values.json ? JSON.stringify(answer(result, value)) : shown().join('\n')}\n`)
    return 0
  },
}

/** What answers the lines of `--jsonl`. */
export async function fitLineAnswer(
  model: string,
  format: string | undefined,
  options: FitOptions,
): Promise<LineAnswer> {
  const chat = await chatToFit(model, format, options)
  return (value, text) => answer(fitRequest(chat, value, text, options).result, value)
}

/** @throws UsageError where nobody tells how long the window is */
async function chatToFit(model: string, format: string | undefined, options: FitOptions): Promise<Chat> {
  const chat = await Chat.load(model, { format })
  if (options.contextWindow === undefined && chat.contextWindow === undefined) {
    throw new UsageError("fit needs --window N: the model's files do not tell it")
  }
  return chat
}

function fitRequest(
  chat: Chat,
  value: unknown,
  text: string,
  options: FitOptions,
): { readonly own: FitOptions; readonly result: FittedChat } {
  const request = requestOf(value, text)
  const own = { ...options, ...request.options }
  return { own, result: fitWithoutSummary(chat, request.messages, own) }
}

function wholeNumber(option: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  if (/^\d{1,15}$/.test(value)) return Number(value)
  throw new UsageError(`${option}: a whole number was expected, not ${JSON.stringify(value)}`)
}

/** The shape of `--json`. Messages are those of the input, but for content that was cut. */
function answer({ messages, dropped, truncated, count, budget }: FittedChat, value: unknown): object {
  const original = (
    Array.isArray(value) ? value : (value as { messages: unknown[] }).messages
  ) as ChatMessage[]
  const gone = new Set(dropped.map(({ index }) => index))
  const kept = [...original.keys()].filter((index) => !gone.has(index))
  const cut = new Set(truncated.map(({ path }) => Number(/\d+/.exec(path)?.[0])))
  return {
    messages: kept.map((index, i) =>
      cut.has(index) ? { ...original[index], content: messages[i]?.content } : original[index],
    ),
    kept,
    dropped: [...gone],
    truncated,
    count,
    budget,
  }
}

/** How the window is used, and what went. */
function picture(
  chat: Chat,
  { messages, documents, count, budget, dropped, truncated }: FittedChat,
  { reserveForReply = 0, tools }: FitOptions,
  columns: number,
  paint: Palette,
): string[] {
  const window = budget + reserveForReply
  const { perMessage, perSource } = chat.count(messages, { tools, documents })
  const roles = [...new Set(perMessage.map(({ role }) => role))]
  const ofRole = (wanted: string) =>
    perMessage.reduce((sum, { role, total }) => (role === wanted ? sum + total : sum), 0)
  const bars = [
    ...roles.map((role) => ({ label: role, tokens: ofRole(role) })),
    { label: 'tools', tokens: tools === undefined ? 0 : perSource.tools },
    { label: 'documents', tokens: perSource.documents },
    { label: 'template', tokens: perSource.template, style: 'control' as const },
    { label: 'reply', tokens: reserveForReply, style: 'good' as const },
    { label: 'free', tokens: budget - count, style: 'dim' as const },
  ]
  const went = dropped.map(({ index }) => index)
  return [
    paint.bold(`${count} tokens of a window of ${window}`),
    ...tokenBars(
      bars.filter(({ tokens }) => tokens > 0),
      window,
      columns,
      paint,
    ),
    '',
    went.length === 0 ? 'nothing had to go' : `left out: ${went.length} messages (${ranges(went)})`,
    ...truncated.map(({ path, before, after }) => `cut: ${path}, from ${before} to ${after} tokens`),
  ]
}

/** @example ranges([1, 2, 3, 5])  // '1-3, 5' */
function ranges(indices: readonly number[]): string {
  const found: [number, number][] = []
  for (const index of indices) {
    const last = found.at(-1)
    if (last && index === last[1] + 1) last[1] = index
    else found.push([index, index])
  }
  return found.map(([from, to]) => (from === to ? from : `${from}-${to}`)).join(', ')
}
