import { TOOL_CALL_FUNCTION } from '../chat/formats/chatglm3.js'
import type { ChatMessage, Compat } from '../chat/messages.js'
import { isSpace } from '../chat/template/python-unicode.js'
import { ToolCallParseError } from '../errors.js'
import { chatglm3 } from './protocols/chatglm3.js'
import { pythonCall, pythonLiteral } from './python-literal.js'
import { TurnBuilder } from './turn-builder.js'
import type { Turn } from './types.js'

/** What `process_response` makes of an output. */
export interface ProcessedResponse {
  /** A text; a call with its arguments; or, without tools in the history, a call with its text. */
  readonly response:
    | string
    | { readonly name: string; readonly parameters: unknown }
    | { readonly name: string; readonly content: string }
  /** The history with the turns of the output behind it. */
  readonly history: ChatMessage[]
  /** `safe`: the turns themselves. */
  readonly turns: readonly Turn[]
}

const ASSISTANT = '<|assistant|>'
/**
 * ChatGLM3's `process_response`, for programs that have the output as text. Where the ids are at hand, `chat.parse(ids)`
 * is the better way: in text, what a model spells and what it says look alike.
 *
 * `exact` does what the reference does, its faults with it: of several assistant parts the last is the response,
 * everything between the first and last line of a call is code, and spaces of the tokenizer become part of the history.
 * Code is read, never run: what is no literal is an error. `safe` (default) gives all turns and calls.
 *
 * @throws ToolCallParseError in `exact` for code that only Python could run, or that it could not either
 * @example
 * processResponse('get_weather\n ```python\ntool_call(city="Paris")\n```', history).response
 * // { name: 'get_weather', parameters: { city: 'Paris' } }
 *
 * Source of behaviour: `process_response` in modeling_chatglm.py of THUDM/ChatGLM3@b0b4e8ac.
 */
export function processResponse(
  output: string,
  history: readonly ChatMessage[],
  { compat = 'safe' }: { readonly compat?: Compat | undefined } = {},
): ProcessedResponse {
  return compat === 'exact' ? exactResponse(output, history) : safeResponse(output, history)
}

function exactResponse(output: string, history: readonly ChatMessage[]): ProcessedResponse {
  const [first] = history
  const hasTools = first?.role === 'system' && Object.hasOwn(first, 'tools')
  const all: ChatMessage[] = [...history]
  let response: ProcessedResponse['response'] = ''
  for (const part of output.split(ASSISTANT)) {
    const line = part.indexOf('\n')
    const metadata = line < 0 ? '' : part.slice(0, line)
    const content = line < 0 ? part : part.slice(line + 1)
    const name = strip(metadata)
    if (name === '') {
      const text = strip(content)
      all.push({ role: 'assistant', metadata, content: text })
      response = text.replaceAll('[[训练时间]]', '2023年')
      continue
    }
    all.push({ role: 'assistant', metadata, content })
    response = hasTools ? { name, parameters: evaluated(content) } : { name, content }
  }
  return { response, history: all, turns: [] }
}

/** What the reference gives to `eval`, read as a literal or a call. */
function evaluated(content: string): unknown {
  const code = content.split('\n').slice(1, -1).join('\n')
  if (/^\s*[\p{L}_][\p{L}\p{N}_]*\s*\(/u.test(code)) {
    const call = pythonCall(code)
    if (call.name === TOOL_CALL_FUNCTION) return call.arguments
    throw new ToolCallParseError(`expected ${TOOL_CALL_FUNCTION}(…), not ${call.name}(…)`, code, 0)
  }
  return pythonLiteral(code)
}

function safeResponse(output: string, history: readonly ChatMessage[]): ProcessedResponse {
  const builder = new TurnBuilder(chatglm3)
  const reader = chatglm3.reader({
    sink: builder,
    tools: undefined,
    startsInReasoning: false,
    hasControl: () => true,
  })
  output.split(ASSISTANT).forEach((part, i) => {
    if (i > 0) reader.mark(ASSISTANT, true)
    // The space that the tokenizer puts in front of a turn behind a control token.
    reader.text(i > 0 && part.startsWith(' ') ? part.slice(1) : part)
  })
  reader.end()
  builder.finish('stop', 0)
  const turns = builder.turns.map(({ turn }) => turn)
  const last = turns.at(-1) as Turn
  const call = last.toolCalls.at(-1)
  const response = call?.arguments
    ? { name: call.name, parameters: call.arguments }
    : call
      ? { name: call.name, content: call.rawArguments }
      : last.content
  return { response, history: [...history, ...turns], turns }
}

/** Python's `str.strip()`: U+001C to U+001F and U+0085 are white space, U+FEFF is none. */
function strip(text: string): string {
  let begin = 0
  let end = text.length
  while (begin < end && isSpace(text[begin] as string)) begin++
  while (end > begin && isSpace(text[end - 1] as string)) end--
  return text.slice(begin, end)
}

const REPLACED: readonly (readonly [found: string, replacement: string])[] = [
  ['\\(', '$'],
  ['\\)', '$'],
  ['\\[', '$$'],
  ['\\]', '$$'],
  ['<|assistant|>', ''],
  ['<|observation|>', ''],
  ['<|system|>', ''],
  ['<|user|>', ''],
]

/**
 * An answer as ChatGLM3's demo shows it: LaTeX in dollars, no names of roles, no white space at the ends. Only for eyes:
 * what it takes away is lost.
 *
 * Source of behaviour: `postprocess_text` in conversation.py of the composite demo of THUDM/ChatGLM3@b0b4e8ac.
 */
export function postprocessText(text: string): string {
  return strip(REPLACED.reduce((all, [found, replacement]) => all.split(found).join(replacement), text))
}
