// What a model of each built-in format writes in the course of a conversation.
import { Chat } from '../../src/chat/chat.js'
import type { ChatOptions } from '../../src/chat/chat-options.js'
import { chatFormat } from '../../src/chat/formats/registry.js'
import { PieceType } from '../../src/load/tokenizer-spec.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { bytePieces, modelBytes, type PieceInput } from '../fixtures/model-bytes.js'
import { BYTE_CHARACTERS, byteFallbackJson, byteLevelJson } from '../fixtures/tokenizer-json.js'

/** How the models of a format write, with control tokens by name. */
export interface Writing {
  /** What stands in front of an answer, and of thoughts and behind them. */
  readonly answer?: string
  readonly thought?: readonly [before: string, behind: string]
  /** One call of `f`, and where a reply may hold several, calls of `f` and `g`. */
  readonly call?: string
  readonly calls?: string
  /** Text in front of a call, as far as to the call. */
  readonly text?: string
  /** What ends an answer, and a turn with calls. */
  readonly stop: string
  readonly stopOfCalls?: string
}

const THINK = ['<think>\n', '\n</think>\n\n'] as const
const TOOL_CALL = (name: string): string =>
  `<tool_call>\n{"name":"${name}","arguments":{"a":1}}\n</tool_call>`
const PARAMETERS = (name: string): string => `{"name":"${name}","parameters":{"a":1}}`
const ARGUMENTS = (name: string, id: string): string => `{"name":"${name}","arguments":{"a":1},"id":"${id}"}`
const DEEPSEEK = (name: string): string =>
  `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n{"a":1}\n\`\`\`<｜tool▁call▁end｜>`
const HARMONY = (name: string): string =>
  `<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>{"a":1}`

const eos = { stop: '</s>', thought: THINK }
const imEnd = { stop: '<|im_end|>', thought: THINK }
const llama = { stop: '<|eot_id|>', thought: THINK }
const mistral = {
  stop: '</s>',
  call: `[TOOL_CALLS][${ARGUMENTS('f', 'abcdefghi')}]`,
  calls: `[TOOL_CALLS][${ARGUMENTS('f', 'abcdefghi')}, ${ARGUMENTS('g', 'abcdefgh2')}]`,
}
const deepseek = {
  stop: '<｜end▁of▁sentence｜>',
  thought: THINK,
  call: `<｜tool▁calls▁begin｜>${DEEPSEEK('f')}<｜tool▁calls▁end｜>`,
  calls: `<｜tool▁calls▁begin｜>${DEEPSEEK('f')}\n${DEEPSEEK('g')}<｜tool▁calls▁end｜>`,
}

export const WRITINGS: Readonly<Record<string, Writing>> = {
  chatglm3: {
    answer: '\n',
    text: '\nI look.<|assistant|>',
    call: 'f\n ```python\ntool_call(a=1)\n```',
    stop: '<|user|>',
    stopOfCalls: '<|observation|>',
  },
  chatglm2: { stop: '<eos>' },
  codegeex2: { stop: '<eos>' },
  glm4: {
    answer: '\n',
    text: '\nI look.<|assistant|>',
    call: 'f\n{"a":1}',
    stop: '<|user|>',
    stopOfCalls: '<|observation|>',
  },
  chatml: imEnd,
  smollm2: imEnd,
  qwen3: { ...imEnd, call: TOOL_CALL('f'), calls: `${TOOL_CALL('f')}\n${TOOL_CALL('g')}` },
  llama2: eos,
  llama3: llama,
  'llama3.1': { ...llama, call: PARAMETERS('f'), calls: `${PARAMETERS('f')}; ${PARAMETERS('g')}` },
  'llama3.2': { ...llama, call: PARAMETERS('f'), calls: `${PARAMETERS('f')}; ${PARAMETERS('g')}` },
  'mistral-v1': eos,
  'mistral-v2': { stop: '</s>', call: '[TOOL_CALLS][{"name":"f","arguments":{"a":1}}]' },
  'mistral-v3': mistral,
  'mistral-v3-tekken': mistral,
  'mistral-v7': mistral,
  'mistral-v7-tekken': mistral,
  gemma2: { stop: '<end_of_turn>', thought: THINK },
  gemma3: { stop: '<end_of_turn>', thought: THINK },
  phi3: { stop: '<|end|>', thought: THINK },
  phi4: imEnd,
  'phi4-mini': { stop: '<|end|>', thought: THINK },
  'deepseek-v3': deepseek,
  'deepseek-r1': deepseek,
  harmony: {
    answer: '<|channel|>final<|message|>',
    thought: ['<|channel|>analysis<|message|>', '<|end|><|start|>assistant'],
    text: '<|channel|>commentary<|message|>I look.<|end|><|start|>assistant',
    call: HARMONY('f'),
    stop: '<|return|>',
    stopOfCalls: '<|call|>',
  },
  vicuna: eos,
  'vicuna-system': eos,
  alpaca: eos,
}

/** What a model is over: vocabularies of three kinds, two of which put something before a text. */
export type Vocabulary = 'byte-level' | 'prefixed' | 'sentencepiece'

/** Control pieces of SentencePiece models; the others are user-defined. */
const CONTROL_PIECES = ['<s>', '</s>', '<bos>', '<eos>', '<pad>']

/** The kinds of vocabulary for a format: ChatGLM is over the model of this package. */
export const vocabularies = (name: string): readonly Vocabulary[] =>
  chatFormat(name).commands ? ['sentencepiece'] : ['byte-level', 'prefixed', 'sentencepiece']

const chats = new Map<string, Promise<Chat>>()

/** The same chat for a format and a vocabulary. */
export function sharedChat(name: string, vocabulary: Vocabulary): Promise<Chat> {
  const key = `${name} ${vocabulary}`
  const chat = chats.get(key) ?? chatOver(name, vocabulary)
  chats.set(key, chat)
  return chat
}

/** A chat of a format over a small tokenizer that has its control tokens, and those that its models think between. */
export async function chatOver(
  name: string,
  vocabulary: Vocabulary,
  options: Omit<ChatOptions, 'reserve' | 'memoBytes'> = {},
): Promise<Chat> {
  const { commands, controlTokens, stopTokens, padToken } = chatFormat(name)
  const given = { format: name, now: () => new Date(0), ...options }
  if (commands) return Chat.load('models/mini-chatglm3/tokenizer.model', given)
  const thoughts = WRITINGS[name]?.thought === THINK ? ['<think>', '</think>'] : []
  const pad = padToken === undefined ? [] : [padToken]
  const added = [...new Set([...controlTokens, ...stopTokens, ...pad, ...thoughts])]
  return Chat.over(Tokenizer.from(modelOf(vocabulary, added)), given)
}

function modelOf(vocabulary: Vocabulary, added: readonly string[]): Uint8Array {
  if (vocabulary === 'sentencepiece') {
    const controls = added.map((text): PieceInput => {
      const type = CONTROL_PIECES.includes(text) ? PieceType.CONTROL : PieceType.USER_DEFINED
      return [text, 0, type]
    })
    const texts = [...'\u2581helo', '\u2581h', 'll', '\u2581he', '\u2581hello'].map(
      (text, i): PieceInput => [text, -i],
    )
    const pieces: PieceInput[] = [['<unk>', 0, PieceType.UNKNOWN], ...bytePieces(), ...controls, ...texts]
    return modelBytes(pieces, { byteFallback: true, addDummyPrefix: true })
  }
  const json = vocabulary === 'byte-level' ? byteLevelJson({ added }) : byteFallbackJson({ added })
  return new TextEncoder().encode(JSON.stringify(json))
}

/** The ids of a reply, written with the names of control tokens, one for each byte of its text: no encoder does so. */
export function spelled({ tokenizer }: Chat, reply: string): number[] {
  const names = [...tokenizer.reserved.map(({ name }) => name), '<eos>'].filter((each) =>
    tokenizer.hasCommand(each),
  )
  const ids: number[] = []
  for (let at = 0; at < reply.length; ) {
    const name = names.filter((each) => reply.startsWith(each, at)).sort((a, b) => b.length - a.length)[0]
    const text = name ?? String.fromCodePoint(reply.codePointAt(at) as number)
    if (name !== undefined) ids.push(tokenizer.getCommand(name))
    else for (const byte of new TextEncoder().encode(text)) ids.push(byteId(tokenizer, byte))
    at += text.length
  }
  return ids
}

function byteId(tokenizer: Tokenizer, byte: number): number {
  const name = `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`
  return tokenizer.tokenToId(name) ?? (tokenizer.tokenToId(BYTE_CHARACTERS[byte] as string) as number)
}
