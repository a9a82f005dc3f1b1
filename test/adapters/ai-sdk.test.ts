// The AI SDK's own loops over a server that answers in token ids.
import { NoSuchModelError } from '@ai-sdk/provider'
import { generateText, type ModelMessage, stepCountIs, streamText, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createSafetokens, safetokensModel } from '../../src/ai-sdk/index.js'
import type { Engine } from '../../src/engine/engine.js'
import { vllmEngine } from '../../src/engine/vllm.js'
import { EngineError } from '../../src/errors.js'
import { control } from '../../src/prompt/parts.js'
import { fakeServer, sendJson, sendStream } from '../engine/fake-server.js'
import { scriptedServer } from '../engine/scripted-server.js'
import { vllmEvents } from '../engine/wire-shapes.js'
import { ANSWER, calls, chat, countOf, HOSTILE, QUESTION, qwen3, REPLIES, says, weather } from './weather.js'

const modelOf = (engine: Engine, over = chat) => safetokensModel({ chat: over, engine, maxOutputTokens: 200 })
const toolsOf = (answer: (city: string) => string = weather) => ({
  get_weather: tool({
    description: 'tells the weather',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => answer(city),
  }),
  compare: tool({
    description: 'compares two numbers',
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: async ({ a, b }) => a - b,
  }),
})
const asked = (answer?: (city: string) => string) =>
  ({
    system: 'Be kind.',
    prompt: QUESTION,
    tools: toolsOf(answer),
    stopWhen: stepCountIs(5),
    maxRetries: 0,
  }) as const

describe('two tools in three rounds', () => {
  it('generateText', async () => {
    await using server = await scriptedServer(chat.tokenizer, REPLIES)
    const { text, steps, finishReason, usage, totalUsage } = await generateText({
      model: modelOf(server.engine),
      ...asked(),
    })
    expect(text).toBe(ANSWER)
    expect(finishReason).toBe('stop')
    expect(steps.map((step) => step.finishReason)).toEqual(['tool-calls', 'tool-calls', 'stop'])
    expect(steps.map(({ toolResults }) => toolResults.map(({ output }) => output))).toEqual([
      ['25', '18'],
      [7],
      [],
    ])
    expect(usage.inputTokens).toBe(server.prompts[2]?.length)
    expect(totalUsage.inputTokens).toBe(server.prompts.flat().length)
    expect(totalUsage.outputTokens).toBe(REPLIES.flatMap((reply) => [...chat.tokenizer.encode(reply)]).length)
  })

  it('streamText', async () => {
    await using server = await scriptedServer(chat.tokenizer, REPLIES)
    const result = streamText({ model: modelOf(server.engine), ...asked() })
    const types: string[] = []
    let text = ''
    for await (const part of result.fullStream) {
      types.push(part.type)
      if (part.type === 'text-delta') text += part.text
    }
    expect(text).toBe(`Let me see.${ANSWER}`)
    expect(await result.text).toBe(ANSWER)
    const count = (wanted: string): number => types.filter((type) => type === wanted).length
    expect(['finish-step', 'reasoning-start', 'tool-error', 'error'].map(count)).toEqual([3, 0, 0, 0])
    expect((await result.steps).map(({ toolResults }) => toolResults.length)).toEqual([2, 1, 0])
    expect((await result.totalUsage).inputTokens).toBe(server.prompts.flat().length)
  })

  it('go on with the ids that the model wrote', async () => {
    await using server = await scriptedServer(chat.tokenizer, REPLIES)
    await generateText({ model: modelOf(server.engine, qwen3), ...asked() })
    const written = Array.from(chat.tokenizer.encode(REPLIES[0] ?? ''))
    const [first = [], second = []] = server.prompts
    expect(second.slice(0, first.length + written.length)).toEqual([...first, ...written])
  })

  it('send what a tool says as text, though it spells a system turn', async () => {
    await using plain = await scriptedServer(chat.tokenizer, REPLIES)
    await generateText({ model: modelOf(plain.engine), ...asked() })
    await using server = await scriptedServer(chat.tokenizer, REPLIES)
    await generateText({ model: modelOf(server.engine), ...asked(() => HOSTILE) })
    for (const [round, ids] of server.prompts.entries()) {
      for (const name of ['<|im_start|>', '<|im_end|>', '<tool_call>', '</tool_call>', '<tool_response>']) {
        expect(countOf(ids, name), `${name} in round ${round}`).toBe(
          countOf(plain.prompts[round] ?? [], name),
        )
      }
    }
  })
})

it('shows the model what is wrong with its call, and runs nothing', async () => {
  await using server = await scriptedServer(chat.tokenizer, [
    calls('', ['get_weather', '{"city": ']),
    calls('', ['get_weather', '{"city": 5}'], ['nothing', '{}']),
    says('I am sorry.'),
  ])
  const cities: string[] = []
  const { text, steps } = await generateText({
    model: modelOf(server.engine),
    ...asked((city) => {
      cities.push(city)
      return weather(city)
    }),
  })
  expect(text).toBe('I am sorry.')
  expect(cities).toEqual([])
  expect(steps[0]?.toolCalls).toMatchObject([{ toolName: 'get_weather', invalid: true }])
})

describe('a call', () => {
  it('has thoughts, text and warnings', async () => {
    await using server = await scriptedServer(chat.tokenizer, [
      [control('<think>'), '\nhm\n', control('</think>'), '\n\nHi.', control('<|im_end|>')],
    ])
    const { content, warnings } = await modelOf(server.engine, qwen3).doGenerate({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      headers: { 'x-tenant': '7', 'user-agent': 'ai' },
      responseFormat: { type: 'json' },
      tools: [
        ...['get_weather', 'compare'].map((name) => ({ type: 'function' as const, name, inputSchema: {} })),
        { type: 'provider', id: 'safetokens.search', name: 'search', args: {} },
      ],
      toolChoice: { type: 'tool', toolName: 'compare' },
    })
    expect(content).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'Hi.' },
    ])
    expect(warnings).toMatchObject(
      ['responseFormat', 'headers', 'toolChoice', 'tool safetokens.search'].map((feature) => ({ feature })),
    )
    const shown = chat.decode(server.prompts[0] ?? [])
    expect(shown).toContain('"name": "compare"')
    expect(shown).not.toContain('get_weather')
  })

  it('passes its settings on', async () => {
    await using server = await scriptedServer(chat.tokenizer, [says('one two STOP three')])
    const { text, finishReason } = await generateText({
      model: modelOf(server.engine),
      prompt: 'Hi',
      temperature: 0.5,
      topK: 3,
      seed: 7,
      maxOutputTokens: 50,
      stopSequences: ['STOP'],
      providerOptions: { safetokens: { minP: 0.1 } },
      tools: toolsOf(),
      toolChoice: 'none',
    })
    expect({ text, finishReason }).toEqual({ text: 'one two ', finishReason: 'stop' })
    expect(server.received[0]?.body).toMatchObject({
      temperature: 0.5,
      top_k: 3,
      seed: 7,
      min_p: 0.1,
      max_tokens: 50,
    })
    expect(chat.decode(server.prompts[0] ?? [])).not.toContain('get_weather')
  })

  it('takes messages', async () => {
    await using server = await scriptedServer(chat.tokenizer, [says('a'), says('b')])
    const model = modelOf(server.engine)
    const messages: ModelMessage[] = [{ role: 'user', content: 'one' }]
    const { response } = await generateText({ model, messages })
    messages.push(...response.messages, { role: 'user', content: 'two' })
    expect((await generateText({ model, messages })).text).toBe('b')
    expect(chat.decode(server.prompts[1] ?? [], { skipSpecialTokens: false })).toContain(
      'one<|im_end|>\n<|im_start|>assistant\na<|im_end|>\n<|im_start|>user\ntwo',
    )
  })
})

describe('what goes wrong', () => {
  it('before the first id is the error of the call', async () => {
    await using server = await fakeServer((_, response) =>
      sendJson(response, { error: { message: 'no' } }, 400),
    )
    const model = modelOf(vllmEngine({ url: server.url }))
    await expect(generateText({ model, prompt: 'Hi', maxRetries: 0 })).rejects.toThrow(EngineError)
    await expect(
      Promise.resolve(
        model.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] }),
      ),
    ).rejects.toThrow('HTTP 400: no')
  })

  it('later is a part of the stream', async () => {
    await using server = await fakeServer(async ({ body }, response) => {
      const [event] = vllmEvents(body, [[40, 41]], { finish_reason: '' })
      const choices = (event as { choices: object[] }).choices.map((choice) => ({
        ...choice,
        finish_reason: null,
      }))
      await sendStream(response, Buffer.from(`data: ${JSON.stringify({ ...event, choices })}\n\n`))
      response.destroy()
    })
    const { stream } = await modelOf(vllmEngine({ url: server.url })).doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    })
    const parts: { type: string; error?: unknown }[] = []
    for await (const part of stream) parts.push(part)
    expect(parts.map(({ type }) => type)).toEqual([
      'stream-start',
      'response-metadata',
      'text-start',
      'text-delta',
      'error',
    ])
    expect(parts.at(-1)?.error).toBeInstanceOf(EngineError)
  })

  it('is an abort', async () => {
    const control = new AbortController()
    await using server = await fakeServer(() => control.abort(new Error('enough')))
    const model = modelOf(vllmEngine({ url: server.url }))
    await expect(generateText({ model, prompt: 'Hi', abortSignal: control.signal })).rejects.toThrow('enough')
    await server.clientGone
  })

  it('is what is not text', async () => {
    await using server = await scriptedServer(chat.tokenizer, [])
    const content = [{ type: 'image' as const, image: new Uint8Array([0x89, 0x50, 0x4e, 0x47]) }]
    const call = generateText({
      model: modelOf(server.engine),
      messages: [{ role: 'user', content }],
      maxRetries: 0,
    })
    await expect(call).rejects.toThrow('a file of the type image/png')
    expect(server.prompts).toEqual([])
  })
})

describe('a provider', () => {
  it('has models by name', async () => {
    await using server = await scriptedServer(chat.tokenizer, [says('a')])
    const provider = createSafetokens({
      models: { mini: { chat, engine: server.engine, maxOutputTokens: 9 } },
    })
    const model = provider('mini')
    expect(model).toMatchObject({ specificationVersion: 'v3', provider: 'safetokens', modelId: 'mini' })
    expect(provider.languageModel('mini')).toBe(model)
    expect((await generateText({ model, prompt: 'Hi' })).text).toBe('a')
  })

  it('says which it does not have', () => {
    const provider = createSafetokens({ models: {} })
    const failure = (work: () => unknown): unknown => {
      try {
        return work()
      } catch (error) {
        return NoSuchModelError.isInstance(error)
      }
    }
    for (const name of ['mini', 'constructor', '__proto__']) expect(failure(() => provider(name))).toBe(true)
    expect(failure(() => provider.embeddingModel('mini'))).toBe(true)
    expect(failure(() => provider.imageModel('mini'))).toBe(true)
  })
})
