import { InvalidArgumentError } from '../errors.js'
import { ALPACA_SYSTEM } from './formats/alpaca.js'
import { VICUNA_SYSTEM } from './formats/vicuna.js'
import type { ChatMessage } from './messages.js'

/** The formats whose transcripts can be read. */
export type TranscriptFormat = 'vicuna' | 'chatml' | 'alpaca' | 'llama2' | 'chatglm3'

/** A turn as it was found: white space at its ends is not part of it. */
type Turn = Pick<ChatMessage, 'role' | 'metadata'> & { content: string }

const READERS: Readonly<Record<TranscriptFormat, (text: string) => Turn[]>> = {
  vicuna,
  chatml,
  alpaca,
  llama2,
  chatglm3,
}

/**
 * Reads a conversation that was written as one text, as older tools keep them. Roles are told by the format's markers
 * wherever they stand: a text in which somebody quotes a marker cannot be told from one in which somebody spoke, which
 * is why conversations should be kept as messages.
 *
 * White space at the ends of a turn is left out, and so are a default system text and a last assistant turn without
 * content (the generation prompt). `vicuna` reads lines of `vicuna-system` too.
 *
 * @throws InvalidArgumentError for an unknown format, and for text in which no turn is found
 * @example parseTranscript('USER: hi ASSISTANT: hello</s>', 'vicuna')
 * // [{ role: 'user', content: 'hi' }, { role: 'assistant', content: 'hello' }]
 */
export function parseTranscript(text: string, format: TranscriptFormat): ChatMessage[] {
  if (typeof text !== 'string') {
    throw new InvalidArgumentError(`parseTranscript: a string was expected, not ${typeof text}`)
  }
  if (!Object.hasOwn(READERS, format)) {
    throw new InvalidArgumentError(
      `parseTranscript: the format must be one of ${Object.keys(READERS).join(', ')}, not ${JSON.stringify(format)}`,
    )
  }
  const turns = READERS[format](text.replace(/^\s*<s>/, ''))
  if (turns.length === 0 && text.trim() !== '') {
    throw new InvalidArgumentError(`parseTranscript: no turn of the format ${format} was found in the text`)
  }
  const last = turns.at(-1)
  return last?.role === 'assistant' && last.content === '' && !last.metadata ? turns.slice(0, -1) : turns
}

/** The text before the first marker, and for each marker its groups and the text up to the next one. */
function sections(text: string, marker: RegExp): { head: string; turns: [RegExpMatchArray, string][] } {
  const marks = [...text.matchAll(marker)]
  return {
    head: text.slice(0, marks[0]?.index ?? text.length),
    turns: marks.map((mark, i) => [mark, text.slice(mark.index + mark[0].length, marks[i + 1]?.index)]),
  }
}

function vicuna(text: string): Turn[] {
  const { head, turns } = sections(text, /(?<=^|\s|<\/s>)(USER|ASSISTANT|SYSTEM):/g)
  if (turns.length === 0) return []
  return [
    ...systemTurn(head, VICUNA_SYSTEM),
    ...turns.map(([mark, content]) => ({
      role: (mark[1] as string).toLowerCase(),
      content: withoutEnd(content),
    })),
  ]
}

function alpaca(text: string): Turn[] {
  const { head, turns } = sections(text, /^### (Instruction|Input|Response):/gm)
  const read: Turn[] = []
  for (const [mark, content] of turns) {
    const last = read.at(-1)
    // An input is the second half of what the user says.
    if (mark[1] === 'Input' && last?.role === 'user') last.content = `${last.content}\n\n${content.trim()}`
    else read.push({ role: mark[1] === 'Response' ? 'assistant' : 'user', content: withoutEnd(content) })
  }
  return read.length === 0 ? [] : [...systemTurn(head, ALPACA_SYSTEM), ...read]
}

function llama2(text: string): Turn[] {
  const { turns } = sections(text, /\[(\/?)INST\]/g)
  return turns.flatMap(([mark, content]): Turn[] => {
    if (mark[1] === '/') return [{ role: 'assistant', content: withoutEnd(content.replace(/<s>\s*$/, '')) }]
    const system = /^\s*<<SYS>>([\s\S]*?)<<\/SYS>>/.exec(content)
    const question = { role: 'user', content: content.slice(system?.[0].length ?? 0).trim() }
    return system ? [{ role: 'system', content: (system[1] as string).trim() }, question] : [question]
  })
}

function chatml(text: string): Turn[] {
  const { turns } = sections(text, /<\|im_start\|>([^\n<|]*)\n?/g)
  return turns.map(([mark, content]) => ({
    role: (mark[1] as string).trim(),
    content: content.replace(/<\|im_end\|>[\s\S]*$/, '').trim(),
  }))
}

function chatglm3(text: string): Turn[] {
  const { turns } = sections(text, /<\|(system|user|assistant|observation)\|>/g)
  return turns.map(([mark, body]) => {
    const line = body.indexOf('\n')
    const metadata = line < 0 ? '' : body.slice(0, line).trim()
    return {
      role: mark[1] as string,
      ...(metadata === '' ? {} : { metadata }),
      content: body.slice(line + 1).trim(),
    }
  })
}

function systemTurn(head: string, usual: string): Turn[] {
  const content = head.trim()
  return content === '' || content === usual ? [] : [{ role: 'system', content }]
}

/** A turn's text without the `</s>` that ends an answer. */
function withoutEnd(text: string): string {
  return text
    .trim()
    .replace(/<\/s>$/, '')
    .trim()
}
