// Messages as LangChain has them, and trimMessages as it calls a counter: from the newest to the oldest.
import { AIMessage, HumanMessage, SystemMessage, ToolMessage, trimMessages } from '@langchain/core/messages'
import { describe, expect, it } from 'vitest'
import type { LangChainMessage } from '../../src/budget/token-counter.js'
import { Chat } from '../../src/chat/chat.js'
import { InvalidArgumentError } from '../../src/errors.js'
import { chatOfFormat, FORMATS, TOOLS } from './conversations.js'

const message = (type: string, content: unknown, more: object = {}): LangChainMessage =>
  ({ getType: () => type, content, additional_kwargs: {}, ...more }) as LangChainMessage
const LIST = [
  message('system', 'Be kind.'),
  message('human', 'question 1'),
  message('ai', 'answer 1'),
  message('human', [{ type: 'text', text: 'question 2' }]),
]
const CALLS = [
  message('human', 'weather?'),
  message('ai', '', {
    tool_calls: [{ type: 'tool_call', id: 'call00000', name: 'look_up', args: { a: 1 } }],
  }),
  message('tool', 'sunny', { tool_call_id: 'call00000', name: 'look_up' }),
]

it('counts as encode does', async () => {
  const chat = await chatOfFormat('chatml')
  const messages = [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'question 1' },
    { role: 'assistant', content: 'answer 1' },
    { role: 'user', content: 'question 2' },
  ]
  expect(chat.tokenCounter()(LIST)).toBe(chat.count(messages).total)
  const options = { addGenerationPrompt: false }
  expect(chat.tokenCounter(options)(LIST)).toBe(chat.count(messages, options).total)
  expect(chat.tokenCounter()([])).toBe(0)
})

it('knows calls and their results', async () => {
  const chat = await chatOfFormat('qwen3')
  const messages = [
    { role: 'user', content: 'weather?' },
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'call00000', function: { name: 'look_up', arguments: { a: 1 } } }],
    },
    { role: 'tool', content: 'sunny', tool_call_id: 'call00000', name: 'look_up' },
  ]
  expect(chat.tokenCounter({ tools: TOOLS })(CALLS)).toBe(chat.count(messages, { tools: TOOLS }).total)
})

describe.each(FORMATS)('%s', (format) => {
  it('takes any part of a conversation in any order, and never counts too few', async () => {
    const chat = await chatOfFormat(format)
    const count = chat.tokenCounter()
    const list = LIST.slice(['chatglm2', 'codegeex2', 'gemma2'].includes(format) ? 1 : 0)
    for (let end = 1; end <= list.length; end++) {
      const [whole, reversed] = [list.slice(-end), list.slice(-end).reverse()]
      const texts = whole.reduce(
        (sum, { content }) => sum + chat.tokenizer.count(String(Object(content)[0]?.text ?? content)),
        0,
      )
      expect(count(reversed)).toBeGreaterThanOrEqual(texts)
      expect(count(whole)).toBe(count([...reversed]))
    }
  })
})

it('gives a template the question that it insists on', () => {
  return chatOfFormat('qwen3').then(({ tokenizer }) => {
    const chatTemplate = `{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('alternate') }}{% endif %}<|im_start|>{{ m.content }}<|im_end|>{% endfor %}`
    const chat = Chat.over(tokenizer, { chatTemplate })
    const count = chat.tokenCounter()
    expect(count([message('ai', 'answer')])).toBe(tokenizer.count('answer') + 4)
    expect(() => count([message('ai', 'a'), message('ai', 'b')])).toThrow('alternate')
  })
})

it('refuses what is no message of LangChain', async () => {
  const count = (await chatOfFormat('chatml')).tokenCounter()
  expect(() => count([{ content: 'x' }])).toThrow(InvalidArgumentError)
  expect(() => count([message('remove', '')])).toThrow('messages[0]: a message of LangChain was expected')
  expect(() => count([message('generic', 'x', { role: 'root' })])).toThrow('the role must be one of')
})

describe('trimMessages', () => {
  const list = [
    new SystemMessage('Be kind.'),
    ...Array.from({ length: 10 }, (_, i) => [
      new HumanMessage(`question ${i} is this`),
      new AIMessage(
        i === 5
          ? { content: '', tool_calls: [{ id: 'call00005', name: 'look_up', args: {} }] }
          : `answer ${i}`,
      ),
      ...(i === 5
        ? [
            new ToolMessage({ content: 'found', tool_call_id: 'call00005', name: 'look_up' }),
            new AIMessage('so'),
          ]
        : []),
    ]).flat(),
    new HumanMessage('now?'),
  ]

  it.each(['qwen3', 'harmony', 'mistral-v3', 'llama3.1'])('keeps to the budget with %s', async (format) => {
    const tokenCounter = (await chatOfFormat(format)).tokenCounter()
    const whole = tokenCounter(list)
    for (const share of [0.4, 0.7, 1]) {
      const maxTokens = Math.ceil(whole * share)
      for (const strategy of ['last', 'first'] as const) {
        const options = strategy === 'last' ? { includeSystem: true, startOn: 'human' as const } : {}
        const trimmed = await trimMessages(list, { maxTokens, tokenCounter, strategy, ...options })
        expect(trimmed.length).toBeGreaterThan(0)
        expect(tokenCounter(trimmed)).toBeLessThanOrEqual(maxTokens)
        if (share === 1) expect(trimmed.length).toBe(list.length)
      }
    }
  })
})
