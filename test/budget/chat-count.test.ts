// chat.count: the total is that of encode, and its parts are all of it.
import { describe, expect, it } from 'vitest'
import { Chat } from '../../src/chat/chat.js'
import type { ChatMessage } from '../../src/chat/messages.js'
import { control } from '../../src/prompt/parts.js'
import { chatOfFormat, conversation, FORMATS, randomNumbers, TOOLS } from './conversations.js'

const sum = (counts: object): number => Object.values(counts).reduce((all: number, count) => all + count, 0)

describe.each(FORMATS)('%s', { timeout: 60_000 }, (format) => {
  it('counts as encode does, and each token once', async () => {
    const chat = await chatOfFormat(format)
    for (let seed = 0; seed < 25; seed++) {
      const { messages, options } = conversation(format, randomNumbers(seed), 4)
      const { ids, spans } = chat.encode(messages, options)
      const count = chat.count(messages, options)
      expect(count.total).toBe(ids.length)
      expect(sum(count.perSource)).toBe(count.total)
      const inMessages = count.perMessage.reduce((all, { total }) => all + total, 0)
      const { template, tools, documents } = count.perSource
      expect(inMessages + template + tools + documents).toBe(count.total)
      count.perMessage.forEach(({ role, total, sources }, i) => {
        expect(role).toBe(messages[i]?.role)
        expect(total).toBe(sum(sources))
        const own = spans.filter(({ path }) => path?.match(/^messages\[(\d+)\]/)?.[1] === String(i))
        expect(own.reduce((all, { start, end }) => all + end - start, 0)).toBe(total)
      })
    }
  })
})

const chatml = await chatOfFormat('chatml')
const qwen3 = await chatOfFormat('qwen3')

it('tells tools, calls, reasoning and content apart', () => {
  const messages: ChatMessage[] = [
    { role: 'user', content: 'aaa' },
    {
      role: 'assistant',
      content: 'bb',
      reasoning_content: 'cccc',
      tool_calls: [{ function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', content: 'ddddd' },
  ]
  const without = qwen3.count(messages)
  const { perSource, perMessage, total } = qwen3.count(messages, { tools: TOOLS })
  const text = (from: string) => qwen3.tokenizer.count(from)
  expect(perSource).toMatchObject({
    content: text('aaa') + text('bb') + text('ddddd'),
    reasoning: text('cccc'),
    toolCalls: text('f') + text('{}'),
    tools: text(JSON.stringify(TOOLS[0]).replaceAll(/([:,])(?=["{])/g, '$1 ')),
    documents: 0,
    control: 0,
    other: 0,
  })
  expect(total - without.total).toBe(perSource.tools + perSource.template - without.perSource.template)
  expect(perMessage.map((message) => message.total)).toEqual([
    text('aaa'),
    text('bb') + text('cccc') + text('f{}'),
    text('ddddd'),
  ])
})

it('counts control tokens of the caller as what they stand for', () => {
  const image = control('<|im_end|>', { count: 256 })
  const messages = [
    { role: 'user', content: [image, 'what is this?'] },
    { role: 'assistant', content: 'ok' },
    { role: 'user', content: image },
  ]
  const { total, perSource, perMessage } = chatml.count(messages)
  expect(perSource.control).toBe(512)
  expect(perMessage.map(({ sources }) => sources.control)).toEqual([256, 0, 256])
  expect(total).toBe(chatml.encode(messages).tokenCount)
  expect(sum(perSource)).toBe(total)

  const chatTemplate = '{% for m in messages %}<|im_start|>{{ m.content[0].text }}{% endfor %}'
  const byTemplate = Chat.over(chatml.tokenizer, { chatTemplate })
  const count = byTemplate.count([{ role: 'user', content: [image] }])
  expect(count.perSource).toMatchObject({ control: 255, template: 2 })
  expect(count.total).toBe(257)
})

it('counts templates', () => {
  const chatTemplate = '<|im_start|>{{ messages[0].content }}{{ documents[0].text }}{{ date }}<|im_end|>'
  const chat = Chat.over(chatml.tokenizer, { chatTemplate })
  const { perSource } = chat.count([{ role: 'user', content: 'aaa' }], {
    documents: [{ text: 'bb' }],
    templateOptions: { date: 'cccc' },
  })
  const text = (from: string) => chatml.tokenizer.count(from)
  expect(perSource).toMatchObject({
    content: text('aaa'),
    documents: text('bb'),
    other: text('cccc'),
    template: 2,
  })
})

it('throws as encode does', () => {
  expect(() => chatml.count([{ role: 'root', content: '' }])).toThrow('message 0: the role must be')
})
