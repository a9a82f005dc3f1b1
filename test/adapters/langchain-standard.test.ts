// What LangChain's own (unpublished) standard tests ask of a chat model: @langchain/standard-tests is not on npm.
import { InMemoryCache } from '@langchain/core/caches'
import {
  AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages'
import { ChatPromptTemplate } from '@langchain/core/prompts'
import { RunnableLambda } from '@langchain/core/runnables'
import { tool } from '@langchain/core/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { vllmEngine } from '../../src/engine/vllm.js'
import { ChatSafetokens, type ChatSafetokensInput } from '../../src/langchain/index.js'
import { control, type EncodeInput } from '../../src/prompt/parts.js'
import { fakeServer } from '../engine/fake-server.js'
import { type ScriptedServer, scriptedServer } from '../engine/scripted-server.js'
import { calls, chat, qwen3, says } from './weather.js'

const serving = (...replies: readonly EncodeInput[]) => scriptedServer(chat.tokenizer, replies)
const modelOf = (server: ScriptedServer, more: Partial<ChatSafetokensInput> = {}) =>
  new ChatSafetokens({ chat, engine: server.engine, maxTokens: 100, ...more })
const add = tool(async ({ a, b }: { a: number; b: number }) => String(a + b), {
  name: 'add',
  description: 'adds',
  schema: z.object({ a: z.number(), b: z.number() }),
})
const OPENAI_ADD = {
  type: 'function',
  function: { name: 'add', parameters: { type: 'object', properties: {} } },
}
const CALL = calls('', ['add', '{"a": 1, "b": 2}'])
const toolCall = (id: string) => ({ type: 'tool_call' as const, id, name: 'add', args: { a: 1, b: 2 } })
const shown = (server: ScriptedServer, n = 0): string =>
  chat.decode(server.prompts[n] ?? [], { skipSpecialTokens: false })
const whole = async (chunks: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> => {
  let all: AIMessageChunk | undefined
  for await (const chunk of chunks) all = all?.concat(chunk) ?? chunk
  return all as AIMessageChunk
}

interface Block {
  readonly event: string
  readonly content?: unknown
}

describe('unit', () => {
  it('is made, with or without settings', async () => {
    await using server = await serving()
    expect(modelOf(server).model).toBe('template')
    expect(modelOf(server, { model: 'm', temperature: 0, stop: ['x'] })).toMatchObject({
      model: 'm',
      stop: ['x'],
    })
    expect(ChatSafetokens.lc_name()).toBe('ChatSafetokens')
    expect(modelOf(server)._llmType()).toBe('safetokens')
    expect(modelOf(server, { contextWindow: 4096 }).profile).toMatchObject({
      maxInputTokens: 4096,
      toolCalling: true,
    })
  })

  it('tells tracers what it is', async () => {
    await using server = await serving()
    expect(modelOf(server, { model: 'm', temperature: 0.5, stop: ['x'] }).getLsParams({} as never)).toEqual({
      ls_provider: 'safetokens',
      ls_model_name: 'm',
      ls_model_type: 'chat',
      ls_temperature: 0.5,
      ls_max_tokens: 100,
      ls_stop: ['x'],
    })
  })

  it('needs a limit where no window is known', async () => {
    await using server = await serving(says('a'))
    const model = modelOf(server, { maxTokens: undefined })
    if (chat.contextWindow === undefined)
      await expect(model.invoke('Hi')).rejects.toThrow('maxTokens must be given')
    const windowed = modelOf(server, { maxTokens: undefined, contextWindow: 1000 })
    await windowed.invoke('Hi')
    expect(server.received[0]?.body.max_tokens).toBe(1000 - (server.prompts[0]?.length ?? 0))
    await expect(modelOf(server, { maxTokens: undefined, contextWindow: 5 }).invoke('Hi')).rejects.toThrow(
      'no room',
    )
  })

  it('rejects when it is aborted', async () => {
    let control = new AbortController()
    await using server = await fakeServer(() => control.abort(new Error('enough')))
    const model = new ChatSafetokens({ chat, engine: vllmEngine({ url: server.url }), maxTokens: 9 })
    await expect(model.invoke('Hi', { signal: AbortSignal.abort() })).rejects.toThrow()
    expect(server.received).toHaveLength(0)
    await expect(model.invoke('Hi', { signal: control.signal })).rejects.toThrow('enough')
    await server.clientGone
    control = new AbortController()
    const reading = (async () => whole(await model.stream('Hi', { signal: control.signal })))()
    await expect(reading).rejects.toThrow('enough')
    expect(server.received).toHaveLength(2)
  })
})

describe('replies', () => {
  it('invoke', async () => {
    await using server = await serving(says('Hello 👋'))
    const reply = await modelOf(server).invoke('Hi')
    expect(reply).toBeInstanceOf(AIMessage)
    expect(reply.text).toBe('Hello 👋')
    expect(reply.response_metadata).toMatchObject({ model_name: 'template', finish_reason: 'stop' })
    const [prompt = []] = server.prompts
    const output = chat.tokenizer.encode(says('Hello 👋')).length
    expect(reply.usage_metadata).toEqual({
      input_tokens: prompt.length,
      output_tokens: output,
      total_tokens: prompt.length + output,
      input_token_details: { cache_read: 2 },
    })
  })

  it('stream', async () => {
    await using server = await serving(says('Hello 👋'))
    const chunks: AIMessageChunk[] = []
    for await (const chunk of await modelOf(server).stream('Hi')) chunks.push(chunk)
    expect(chunks.filter(({ text }) => text !== '').length).toBeGreaterThan(1)
    const all = chunks.reduce((a, b) => a.concat(b))
    expect(all.text).toBe('Hello 👋')
    expect(all.usage_metadata).toMatchObject({ input_tokens: server.prompts[0]?.length })
    expect(all.response_metadata.finish_reason).toBe('stop')
  })

  it('batch', async () => {
    await using server = await serving(says('a'), says('b'))
    const replies = await modelOf(server).batch(['1', '2'])
    expect(replies.map(({ text }) => text).sort()).toEqual(['a', 'b'])
  })

  it.each(['v1', 'v2'] as const)('streamEvents %s', async (version) => {
    await using server = await serving(says('Hello'))
    const events: string[] = []
    let text = ''
    for await (const { event, data } of modelOf(server).streamEvents('Hi', { version })) {
      events.push(event)
      if (event.endsWith('_stream')) text += (data.chunk as AIMessageChunk | undefined)?.content ?? ''
    }
    expect(events[0]).toMatch(/_start$/)
    expect(events.at(-1)).toMatch(/_end$/)
    expect(text).toBe('Hello')
  })

  it('streamEvents of blocks: text, then a call', async () => {
    await using server = await serving(calls('Let me.', ['add', '{"a": 1, "b": 2}']))
    const blocks: unknown[] = []
    for await (const event of modelOf(server).streamEvents('Hi', {
      tools: [OPENAI_ADD],
    }) as AsyncIterable<Block>) {
      if (event.event === 'content-block-finish') blocks.push(event.content)
    }
    expect(blocks).toMatchObject([
      { type: 'text', text: 'Let me.' },
      { type: 'tool_call', name: 'add', args: { a: 1, b: 2 } },
    ])
  })

  it('of a conversation', async () => {
    await using server = await serving(says('c'))
    await modelOf(server).invoke([
      new SystemMessage('s'),
      new HumanMessage('a'),
      new AIMessage('b'),
      new HumanMessage('d'),
    ])
    expect(shown(server)).toBe(
      '<|im_start|>system\ns<|im_end|>\n<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\nb<|im_end|>\n<|im_start|>user\nd<|im_end|>\n<|im_start|>assistant\n',
    )
  })

  it('to two messages in a row', async () => {
    await using server = await serving(says('c'))
    const over = new ChatSafetokens({ chat: qwen3, engine: server.engine, maxTokens: 9 })
    await over.invoke([new HumanMessage('a'), new HumanMessage('b')])
    expect(shown(server)).toContain('<|im_start|>user\na\nb<|im_end|>')
  })

  it('end at a text', async () => {
    await using server = await serving(says('one STOP two'), says('one STOP two'), says('one STOP two'))
    expect((await modelOf(server).invoke('Hi', { stop: ['STOP'] })).text).toBe('one ')
    const reply = await modelOf(server, { stop: ['STOP'] }).invoke('Hi')
    expect(reply.response_metadata).toMatchObject({ finish_reason: 'stop', stop_sequence: 'STOP' })
    expect((await whole(await modelOf(server, { stop: ['STOP'] }).stream('Hi'))).text).toBe('one ')
  })

  it('come from a cache', async () => {
    await using server = await serving(says('a'), says('b'), says('c'))
    const cache = new InMemoryCache()
    const model = modelOf(server, { cache })
    expect((await model.invoke('Hi')).text).toBe('a')
    expect((await model.invoke('Hi')).text).toBe('a')
    expect((await model.bindTools([add]).invoke('Hi')).text).toBe('b')
    expect((await modelOf(server, { cache, temperature: 1 }).invoke('Hi')).text).toBe('c')
    expect(server.prompts).toHaveLength(3)
  })

  it('keep thoughts apart', async () => {
    const thinks = [control('<think>'), '\nhm\n', control('</think>'), '\n\nHi.', control('<|im_end|>')]
    await using server = await serving(thinks, thinks)
    for (const message of [
      await modelOf(server).invoke('Hi'),
      await whole(await modelOf(server).stream('Hi')),
    ]) {
      expect(message.text).toBe('Hi.')
      expect(message.additional_kwargs.reasoning_content).toBe('hm')
    }
  })

  it('tell callbacks each token', async () => {
    await using server = await serving(says('Hello there'), says('Hello there'))
    for (const streams of [false, true]) {
      const tokens: string[] = []
      const callbacks = [{ handleLLMNewToken: (token: string) => void tokens.push(token) }]
      if (streams) await whole(await modelOf(server).stream('Hi', { callbacks }))
      else await modelOf(server).invoke('Hi', { callbacks })
      expect(tokens.join('')).toBe('Hello there')
    }
  })
})

describe('tools', () => {
  it.each([
    ['of LangChain', add],
    ['in the shape of OpenAI', OPENAI_ADD],
    [
      'made of a runnable',
      RunnableLambda.from(async () => '3').asTool({
        name: 'add',
        description: 'adds',
        schema: z.object({ a: z.number() }),
      }),
    ],
  ])('%s are called', async (_, bound) => {
    await using server = await serving(CALL)
    const { tool_calls, response_metadata } = await modelOf(server)
      .bindTools([bound as never])
      .invoke('1 + 2')
    expect(tool_calls).toEqual([
      { ...toolCall(tool_calls?.[0]?.id ?? ''), id: expect.stringMatching(/^call_\w{24}$/) },
    ])
    expect(response_metadata.finish_reason).toBe('tool_calls')
    expect(shown(server)).toContain('"name": "add"')
  })

  it('are called at the same time, and in a stream', async () => {
    const two = calls('Both.', ['add', '{"a": 1, "b": 2}'], ['add', '{"a": 3, "b": 4}'])
    await using server = await serving(two, two)
    const bound = modelOf(server).bindTools([add])
    for (const { text, tool_calls } of [await bound.invoke('1'), await whole(await bound.stream('1'))]) {
      expect(text).toBe('Both.')
      expect(tool_calls?.map(({ args }) => args)).toEqual([
        { a: 1, b: 2 },
        { a: 3, b: 4 },
      ])
      expect(new Set(tool_calls?.map(({ id }) => id)).size).toBe(2)
    }
  })

  it('of which the model writes half a call', async () => {
    const half = calls('', ['add', '{"a": 1, "b": '])
    await using server = await serving(half, half)
    const bound = modelOf(server).bindTools([add])
    for (const message of [await bound.invoke('1'), await whole(await bound.stream('1'))]) {
      expect(message.tool_calls).toEqual([])
      expect(message.invalid_tool_calls).toMatchObject([{ name: 'add', error: expect.any(String) }])
    }
  })

  it('have results in the history, as text or as blocks', async () => {
    const history = (content: string | { type: 'text'; text: string }[]): BaseMessage[] => [
      new HumanMessage('1 + 2'),
      new AIMessage({ content: '', tool_calls: [toolCall('call_1')] }),
      new ToolMessage({ content, tool_call_id: 'call_1', name: 'add' }),
    ]
    await using server = await serving(says('a'), says('a'))
    await modelOf(server).bindTools([add]).invoke(history('3'))
    await modelOf(server)
      .bindTools([add])
      .invoke(history([{ type: 'text', text: '3' }]))
    expect(server.prompts[1]).toEqual(server.prompts[0])
    expect(shown(server)).toContain(
      '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n</tool_call>',
    )
    expect(shown(server)).toContain('<tool_response>\n3\n</tool_response>')
  })

  it('and few-shot examples stand in prompts', async () => {
    await using server = await serving(CALL)
    const prompt = ChatPromptTemplate.fromMessages([
      ['human', '2 + 2'],
      new AIMessage({ content: '', tool_calls: [toolCall('call_0')] }),
      new ToolMessage({ content: '4', tool_call_id: 'call_0' }),
      ['ai', 'It is 4.'],
      ['human', '{question}'],
    ])
    const { tool_calls } = await prompt.pipe(modelOf(server).bindTools([add])).invoke({ question: '1 + 2' })
    expect(tool_calls).toHaveLength(1)
    expect(shown(server)).toContain('It is 4.')
  })

  it('of two runnables at once stay apart, and the model has none', async () => {
    await using server = await serving(says('a'), says('b'), says('c'))
    const model = modelOf(server)
    const named = (name: string) =>
      model.bindTools([{ type: 'function', function: { name, parameters: {} } }])
    await Promise.all([named('first').invoke('1'), named('second').invoke('2'), model.invoke('3')])
    const found = server.prompts.map((_, n) => {
      const names = ['first', 'second'].filter((name) => shown(server, n).includes(`"name": "${name}"`))
      return `${/user\n(\d)/.exec(shown(server, n))?.[1]} ${names}`
    })
    expect(found.sort()).toEqual(['1 first', '2 second', '3 '])
  })

  it('are left out or chosen', async () => {
    await using server = await serving(says('a'), says('b'))
    const other = { type: 'function' as const, function: { name: 'other', parameters: {} } }
    await modelOf(server).bindTools([add, other], { tool_choice: 'none' }).invoke('1')
    await modelOf(server).bindTools([add, other], { tool_choice: 'other' }).invoke('1')
    expect(shown(server)).not.toContain('"name"')
    expect(shown(server, 1)).toContain('"name": "other"')
    expect(shown(server, 1)).not.toContain('"name": "add"')
  })
})

describe('structured output', () => {
  const schema = z.object({ a: z.number(), b: z.number() })
  const extract = (args: string) => calls('', ['extract', args])

  it('is checked by the schema', async () => {
    await using server = await serving(extract('{"a": 1, "b": 2}'), extract('{"a": "x"}'))
    const model = modelOf(server).withStructuredOutput(schema)
    expect(await model.invoke('1')).toEqual({ a: 1, b: 2 })
    await expect(model.invoke('1')).rejects.toThrow()
  })

  it('follows a JSON schema', async () => {
    await using server = await serving(extract('{"a": 1, "b": 2}'))
    const json = { type: 'object', description: 'two numbers', properties: { a: { type: 'number' } } }
    expect(await modelOf(server).withStructuredOutput(json).invoke('1')).toEqual({ a: 1, b: 2 })
    expect(shown(server)).toContain('two numbers')
  })

  it('comes with the message, also when there is none', async () => {
    await using server = await serving(calls('', ['pair', '{"a": 1, "b": 2}']), says('No.'))
    const model = modelOf(server).withStructuredOutput(schema, { name: 'pair', includeRaw: true })
    expect(await model.invoke('1')).toMatchObject({ parsed: { a: 1, b: 2 }, raw: expect.any(AIMessage) })
    const { parsed, raw } = await model.invoke('1')
    expect({ parsed: parsed ?? null, text: raw.text }).toEqual({ parsed: null, text: 'No.' })
  })
})
