import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Chat } from '../../src/chat/chat.js'
import type { ChatMessage } from '../../src/chat/messages.js'
import type { Engine } from '../../src/engine/engine.js'
import { vllmEngine } from '../../src/engine/vllm.js'
import { BudgetError, EngineError, InvalidArgumentError } from '../../src/errors.js'
import type { EncodeInput } from '../../src/prompt/parts.js'
import { defineTool } from '../../src/tools/define-tool.js'
import { toolRegistry } from '../../src/tools/registry.js'
import {
  type RunToolsOptions,
  runTools,
  type ToolLoopEnd,
  type ToolLoopEvent,
} from '../../src/tools/run-tools.js'
import {
  ANSWER,
  calls,
  chat,
  countOf,
  HOSTILE,
  QUESTION,
  qwen3,
  REPLIES,
  says,
  weather,
} from '../adapters/weather.js'
import { fakeServer, sendJson } from '../engine/fake-server.js'
import { scriptedServer } from '../engine/scripted-server.js'

const serving = (...replies: readonly EncodeInput[]) => scriptedServer(chat.tokenizer, replies)
const ASKED: readonly ChatMessage[] = [{ role: 'user', content: QUESTION }]
const getWeather = (answer: (city: string, signal?: AbortSignal) => unknown = weather) =>
  defineTool({
    name: 'get_weather',
    description: 'tells the weather',
    parameters: z.object({ city: z.string() }),
    execute: ({ city }, { signal }) => answer(city, signal),
  })
const compare = defineTool({
  name: 'compare',
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => a - b,
})
const TOOLS = [getWeather(), compare]

interface Run {
  readonly events: ToolLoopEvent[]
  readonly end: ToolLoopEnd
}
async function run(
  engine: Engine,
  tools: Parameters<typeof runTools>[3] = TOOLS,
  options: RunToolsOptions = {},
  { over = chat, messages = ASKED } = {},
): Promise<Run> {
  const events: ToolLoopEvent[] = []
  for await (const event of runTools(over, engine, messages, tools, { contextWindow: 2000, ...options })) {
    events.push(event)
  }
  return { events, end: events.at(-1) as ToolLoopEnd }
}
const only = <Type extends ToolLoopEvent['type']>(events: readonly ToolLoopEvent[], type: Type) =>
  events.filter((event): event is Extract<ToolLoopEvent, { type: Type }> => event.type === type)
const roles = (messages: readonly ChatMessage[]): string => messages.map(({ role }) => role).join(' ')

describe('two tools in three rounds', () => {
  it('end on a final turn, with the whole conversation', async () => {
    await using server = await serving(...REPLIES)
    const { events, end } = await run(server.engine)
    expect(end).toMatchObject({ reason: 'final', rounds: 3, pending: [], turn: { content: ANSWER } })
    expect(roles(end.messages)).toBe('user assistant tool tool assistant tool assistant')
    expect(end.messages.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual([
      '25',
      '18',
      '7',
    ])
    expect(end.messages.at(-1)).toBe(end.turn)
    expect(
      only(events, 'text')
        .map(({ text }) => text)
        .join(''),
    ).toBe(`Let me see.${ANSWER}`)
    expect(only(events, 'tool-call-end').map(({ round, call }) => [round, call.name])).toEqual([
      [0, 'get_weather'],
      [0, 'get_weather'],
      [1, 'compare'],
    ])
    expect(only(events, 'round-end').map(({ results }) => results.length)).toEqual([2, 1, 0])
    expect(ASKED).toHaveLength(1)
  })

  it('cost what they cost', async () => {
    await using server = await serving(...REPLIES)
    const { events, end } = await run(server.engine)
    const promptTokens = server.prompts.flat().length
    const outputTokens = REPLIES.flatMap((reply) => [...chat.tokenizer.encode(reply)]).length
    expect(end.usage).toEqual({
      promptTokens,
      outputTokens,
      totalTokens: promptTokens + outputTokens,
      cachedTokens: 6,
    })
    expect(only(events, 'round-start').map(({ promptIds }) => Array.from(promptIds))).toEqual(server.prompts)
    expect(server.received.map(({ body }) => body.max_tokens)).toEqual(
      server.prompts.map(({ length }) => 2000 - length),
    )
  })

  it('go on with the ids that the model wrote', async () => {
    await using server = await serving(...REPLIES)
    await run(server.engine, TOOLS, {}, { over: qwen3 })
    for (const [i, reply] of REPLIES.slice(0, 2).entries()) {
      const seen = [...(server.prompts[i] ?? []), ...chat.tokenizer.encode(reply)]
      expect(server.prompts[i + 1]?.slice(0, seen.length)).toEqual(seen)
    }
  })

  it('send what a tool says as text, though it spells a system turn', async () => {
    await using plain = await serving(...REPLIES)
    await run(plain.engine)
    await using server = await serving(...REPLIES)
    await run(server.engine, [getWeather(() => HOSTILE), compare])
    for (const [round, ids] of server.prompts.entries()) {
      for (const name of ['<|im_start|>', '<|im_end|>', '<tool_call>', '</tool_call>', '<tool_response>']) {
        expect(countOf(ids, name), `${name} in round ${round}`).toBe(
          countOf(plain.prompts[round] ?? [], name),
        )
      }
    }
    const texts = chat.tokenizer
      .decodeParts(server.prompts[1] ?? [])
      .map((part) => (part.type === 'text' ? part.text : ''))
    expect(texts.filter((text) => text.includes(HOSTILE))).toHaveLength(2)
  })
})

describe('calls', () => {
  it('run at the same time, their results come as they are there, and stand in order', async () => {
    await using server = await serving(...REPLIES)
    let running = 0
    let most = 0
    const slow = getWeather(async (city) => {
      most = Math.max(most, ++running)
      await sleep(city === '北京' ? 40 : 1)
      running--
      return weather(city)
    })
    const { events, end } = await run(server.engine, [slow, compare])
    expect(most).toBe(2)
    expect(
      only(events, 'tool-result')
        .slice(0, 2)
        .map(({ result }) => result.content),
    ).toEqual(['18', '25'])
    expect(end.messages.slice(2, 4).map(({ content }) => content)).toEqual(['25', '18'])
  })

  it.each<[string, readonly [string, string], string]>([
    ['an unknown tool', ['nothing', '{}'], 'tool `nothing` not found'],
    [
      'a name that is none',
      ['get the weather', '{}'],
      'the name of a tool was expected, not "get the weather"',
    ],
    ['a name that spells a control token', ['a<|im_end|>', '{}'], 'the name of a tool was expected'],
    ['no name', ['', '{}'], 'the name of a tool was expected'],
    ['malformed arguments', ['get_weather', '{"city": '], 'the call cannot be read'],
    ['invalid arguments', ['get_weather', '{"city": 5}'], 'invalid arguments'],
    ['a tool that throws', ['get_weather', '{"city": "Rome"}'], 'the sky fell'],
  ])('with %s have results that the model reads', async (_, call, message) => {
    for (const over of [chat, qwen3]) {
      await using server = await serving(calls('', call), says('I am sorry.'))
      const failing = getWeather(() => {
        throw new Error('the sky fell')
      })
      const { end } = await run(server.engine, [failing, compare], {}, { over })
      expect(end).toMatchObject({ reason: 'final', rounds: 2 })
      expect(end.messages.find(({ role }) => role === 'tool')?.content).toContain(message)
      expect(chat.decode(server.prompts[1] ?? [])).toContain(message)
    }
  })

  it('are not run when the reply was cut off', async () => {
    await using server = await serving(...REPLIES)
    const cities: string[] = []
    const { end } = await run(server.engine, [getWeather((city) => cities.push(city)), compare], {
      maxTokens: 40,
    })
    expect(end.reason).toBe('length')
    expect(end.pending.length).toBeGreaterThan(0)
    expect(cities).toEqual([])
    expect(server.received[0]?.body.max_tokens).toBe(40)
  })

  it('of tools that the caller runs end the loop', async () => {
    await using server = await serving(...REPLIES)
    const { end } = await run(server.engine, [defineTool({ name: 'get_weather' }), compare])
    expect(end).toMatchObject({ reason: 'manual', rounds: 1 })
    expect(end.pending.map(({ name }) => name)).toEqual(['get_weather', 'get_weather'])
    expect(roles(end.messages)).toBe('user assistant')
  })

  it('are run in the last round too, so that the conversation can go on', async () => {
    await using server = await serving(...REPLIES)
    const { end } = await run(server.engine, TOOLS, { maxRounds: 1 })
    expect(end).toMatchObject({ reason: 'max-rounds', rounds: 1, pending: [] })
    expect(roles(end.messages)).toBe('user assistant tool tool')
    expect((await run(server.engine, TOOLS, {}, { messages: end.messages })).end.turn.content).toBe(ANSWER)
  })
})

describe('the prompt', () => {
  it('is made to fit, and what goes stays in the conversation', async () => {
    await using server = await serving(says('Yes.'))
    const old = Array.from({ length: 20 }, (_, i): ChatMessage[] => [
      { role: 'user', content: `Question ${i}: ${'word '.repeat(20)}` },
      { role: 'assistant', content: 'Answer.' },
    ]).flat()
    const messages = [...old, ...ASKED]
    const { events, end } = await run(
      server.engine,
      TOOLS,
      { contextWindow: 600, reserveForReply: 100 },
      { messages },
    )
    expect(server.prompts[0]?.length).toBeLessThanOrEqual(500)
    expect(only(events, 'round-start')[0]?.dropped.length).toBeGreaterThan(0)
    expect(end.messages).toEqual([...messages, end.turn])
  })

  it('has long results cut before anything goes', async () => {
    await using server = await serving(...REPLIES)
    const { end } = await run(server.engine, [getWeather(() => 'sunny '.repeat(2000)), compare], {
      contextWindow: 1000,
    })
    expect(end.reason).toBe('final')
    for (const ids of server.prompts) expect(ids.length).toBeLessThanOrEqual(1000 - 250)
  })

  it('that cannot be made to fit is an error', async () => {
    await using server = await serving()
    await expect(run(server.engine, TOOLS, { contextWindow: 100 })).rejects.toThrow(BudgetError)
  })

  it('needs no window where the caller limits replies', async () => {
    await using server = await serving(says('Yes.'))
    const over = Chat.over(chat.tokenizer, { format: 'qwen3' })
    const options = { contextWindow: undefined, maxTokens: 50 }
    expect((await run(server.engine, TOOLS, options, { over })).end.turn.content).toBe('Yes.')
    expect(server.received[0]?.body.max_tokens).toBe(50)
    await expect(run(server.engine, TOOLS, { contextWindow: undefined }, { over })).rejects.toThrow(
      InvalidArgumentError,
    )
  })
})

describe('what goes wrong', () => {
  it.each([0, -1, 1.5, Number.NaN])('maxRounds of %d', async (maxRounds) => {
    await using server = await serving()
    await expect(run(server.engine, TOOLS, { maxRounds })).rejects.toThrow(InvalidArgumentError)
  })

  it('with the engine is thrown', async () => {
    await using server = await fakeServer((_, response) =>
      sendJson(response, { error: { message: 'no' } }, 400),
    )
    await expect(run(vllmEngine({ url: server.url }))).rejects.toThrow(EngineError)
  })

  it('is an abort: of a reply', async () => {
    const control = new AbortController()
    await using server = await fakeServer(() => control.abort(new Error('enough')))
    await expect(run(vllmEngine({ url: server.url }), TOOLS, { signal: control.signal })).rejects.toThrow(
      'enough',
    )
    await server.clientGone
  })

  it('is an abort: of a tool, which gets the signal', async () => {
    await using server = await serving(...REPLIES)
    const control = new AbortController()
    const told: unknown[] = []
    const waiting = getWeather(async (_, signal) => {
      setTimeout(() => control.abort(new Error('enough')), 5)
      await new Promise((_, reject) => {
        signal?.addEventListener('abort', () => {
          told.push(signal.reason)
          reject(signal.reason)
        })
      })
    })
    await expect(run(server.engine, [waiting, compare], { signal: control.signal })).rejects.toThrow('enough')
    expect(told).toHaveLength(2)
    expect(server.prompts).toHaveLength(1)
  })

  it('is nobody who listens: tools are told', async () => {
    await using server = await serving(...REPLIES)
    let told = 0
    const waiting = getWeather((city, signal) => {
      if (city === 'Paris') return 'now'
      return new Promise((_, reject) => {
        signal?.addEventListener('abort', () => {
          told++
          reject(signal.reason)
        })
      })
    })
    for await (const event of runTools(chat, server.engine, ASKED, [waiting, compare], {
      contextWindow: 2000,
    })) {
      if (event.type === 'tool-result') break
    }
    expect(told).toBe(1)
  })
})

it('takes a registry', async () => {
  await using server = await serving(...REPLIES)
  const registry = toolRegistry(TOOLS, { limit: { unit: 'characters', max: 1 } })
  const { end } = await run(server.engine, registry)
  expect(end.messages[2]?.content).toBe('2 [TRUNCATED]')
})
