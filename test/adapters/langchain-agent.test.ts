// A real LangChain agent over a server that answers in token ids.
import { type AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { createAgent } from 'langchain'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Engine } from '../../src/engine/engine.js'
import { ChatSafetokens } from '../../src/langchain/index.js'
import { scriptedServer } from '../engine/scripted-server.js'
import { ANSWER, calls, chat, countOf, HOSTILE, QUESTION, qwen3, REPLIES, says, weather } from './weather.js'

const getWeather = (answer: (city: string) => string = weather) =>
  tool(async ({ city }: { city: string }) => answer(city), {
    name: 'get_weather',
    description: 'tells the weather',
    schema: z.object({ city: z.string() }),
  })
const compare = tool(async ({ a, b }: { a: number; b: number }) => String(a - b), {
  name: 'compare',
  description: 'compares two numbers',
  schema: z.object({ a: z.number(), b: z.number() }),
})
const agentOf = (engine: Engine, answer?: (city: string) => string, over = chat) =>
  createAgent({
    model: new ChatSafetokens({ chat: over, engine, maxTokens: 200, temperature: 0 }),
    tools: [getWeather(answer), compare],
    systemPrompt: 'Be kind.',
  })

describe('an agent with two tools', () => {
  it('needs three rounds', async () => {
    await using server = await scriptedServer(chat.tokenizer, REPLIES)
    const { messages } = await agentOf(server.engine).invoke({ messages: [new HumanMessage(QUESTION)] })
    expect(messages.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'tool', 'ai', 'tool', 'ai'])
    expect(messages.filter(ToolMessage.isInstance).map(({ content }) => content)).toEqual(['25', '18', '7'])
    const last = messages.at(-1) as AIMessage
    expect(last.text).toBe(ANSWER)
    expect(last.usage_metadata).toMatchObject({ input_tokens: server.prompts[2]?.length })
    expect(server.prompts).toHaveLength(3)
    const shown = server.prompts.map((ids) => chat.decode(ids, { skipSpecialTokens: false }))
    expect(shown[0]).toContain('Be kind.')
    expect(shown[0]).toContain('"name": "compare"')
    expect(shown[2]).toContain('<tool_response>\n25\n</tool_response>')
  })

  it('streams', async () => {
    await using server = await scriptedServer(chat.tokenizer, REPLIES)
    const texts: string[] = []
    const stream = await agentOf(server.engine).stream(
      { messages: [new HumanMessage(QUESTION)] },
      { streamMode: 'messages' },
    )
    for await (const [message] of stream) if (message.type === 'ai') texts.push(message.text)
    expect(texts.join('')).toBe(`Let me see.${ANSWER}`)
    expect(texts.length).toBeGreaterThan(5)
    expect(server.prompts).toHaveLength(3)
  })

  it('sends what a tool says as text, though it spells a system turn', async () => {
    await using plain = await scriptedServer(chat.tokenizer, REPLIES)
    await agentOf(plain.engine).invoke({ messages: [new HumanMessage(QUESTION)] })
    await using server = await scriptedServer(chat.tokenizer, REPLIES)
    const { messages } = await agentOf(server.engine, () => HOSTILE).invoke({
      messages: [new HumanMessage(QUESTION)],
    })
    expect(
      messages
        .filter(ToolMessage.isInstance)
        .slice(0, 2)
        .map(({ content }) => content),
    ).toEqual([HOSTILE, HOSTILE])
    for (const [round, ids] of server.prompts.entries()) {
      for (const name of ['<|im_start|>', '<|im_end|>', '<tool_call>', '</tool_call>', '<tool_response>']) {
        expect(countOf(ids, name), `${name} in round ${round}`).toBe(
          countOf(plain.prompts[round] ?? [], name),
        )
      }
    }
    const parts = chat.tokenizer.decodeParts(server.prompts[1] ?? [])
    const texts = parts.map((part) => (part.type === 'text' ? part.text : ''))
    expect(texts.filter((text) => text.includes(HOSTILE))).toHaveLength(2)
  })

  it('shows a model what is wrong with its call, and runs nothing', async () => {
    await using server = await scriptedServer(chat.tokenizer, [
      calls('', ['get_weather', '{"city": '], ['nothing', '{}']),
      says('I am sorry.'),
    ])
    const asked: string[] = []
    const agent = agentOf(server.engine, (city) => {
      asked.push(city)
      return weather(city)
    })
    for await (const _ of await agent.stream(
      { messages: [new HumanMessage(QUESTION)] },
      { streamMode: 'messages' },
    ));
    expect(asked).toEqual([])
  })
})

it('goes on with the ids that the model wrote', async () => {
  await using server = await scriptedServer(chat.tokenizer, REPLIES)
  await agentOf(server.engine, weather, qwen3).invoke({ messages: [new HumanMessage(QUESTION)] })
  const written = Array.from(chat.tokenizer.encode(REPLIES[0] ?? ''))
  const [first = [], second = []] = server.prompts
  expect(second.slice(0, first.length + written.length)).toEqual([...first, ...written])
})
