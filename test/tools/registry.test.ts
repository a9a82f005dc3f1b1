import { describe, expect, it } from 'vitest'
import { Chat } from '../../src/chat/chat.js'
import { ToolCallParseError } from '../../src/errors.js'
import type { ParsedToolCall } from '../../src/output/types.js'
import { defineTool } from '../../src/tools/define-tool.js'
import { openAIMessage, parsedToolCall, toolMessages, toolsFromOpenAI } from '../../src/tools/openai.js'
import { toolRegistry } from '../../src/tools/registry.js'
import { TRUNCATION, truncateResult } from '../../src/tools/truncate-result.js'
import { formatChat } from '../chat/formats/format-chat.js'
import { idsOf } from '../output/replies.js'

const call = (name: string, given: unknown = {}, id = 'c1'): ParsedToolCall =>
  parsedToolCall({ id, function: { name, arguments: given } })

const weather = defineTool({
  name: 'get_weather',
  description: 'The weather',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string', minLength: 1 }, days: { type: 'integer', minimum: 1 } },
    required: ['city'],
    additionalProperties: false,
  },
  execute: ({ city }) => ({ city, celsius: 20 }),
})

describe('toolRegistry', () => {
  const registry = toolRegistry([
    weather,
    defineTool({ name: '/text-to-speech', execute: () => 'spoken' }),
    defineTool({ name: 'fails', execute: () => Promise.reject(new RangeError('no network')) }),
    defineTool({
      name: 'hostile',
      execute: () => {
        throw {
          toString: () => {
            throw new Error('x')
          },
        }
      },
    }),
    defineTool({
      name: 'circular',
      execute: () => {
        const a: unknown[] = []
        a.push(a)
        return a
      },
    }),
    defineTool({ name: 'nothing', execute: () => undefined }),
    defineTool({ name: 'elsewhere' }),
  ])
  const content = async (one: ParsedToolCall) => (await registry.dispatch(one)).content

  it('runs tools, also those with odd names', async () => {
    expect(await registry.dispatch(call('get_weather', { city: '北京' }))).toEqual({
      callId: 'c1',
      name: 'get_weather',
      content: '{"city":"北京","celsius":20}',
      failure: undefined,
      truncated: false,
      value: { city: '北京', celsius: 20 },
    })
    expect(await content(call('/text-to-speech'))).toBe('spoken')
    expect(await content(call('nothing'))).toBe('')
  })

  it('never throws', async () => {
    const results = await registry.dispatchAll([
      call('no_such'),
      call('constructor'),
      call('get_weather', { days: 0, place: 'x' }),
      call('get_weather', '{"city"'),
      call('fails'),
      call('hostile'),
      call('elsewhere'),
      call('circular'),
    ])
    expect(results.map(({ failure }) => failure)).toEqual([
      'unknown-tool',
      'unknown-tool',
      'invalid-arguments',
      'malformed-call',
      'tool-error',
      'tool-error',
      'unknown-tool',
      undefined,
    ])
    expect(results[0]?.content).toContain('`no_such` not found. There is get_weather, /text-to-speech')
    expect(results[2]?.content).toBe(
      'Error: invalid arguments: $: expected the property city; $.days: expected at least 1; $.place: there is no such argument',
    )
    expect(results[3]?.content).toContain('cannot be read')
    expect(results[4]?.content).toBe('Error: RangeError: no network')
  })

  it('does not wait for a tool that was cancelled', async () => {
    const slow = toolRegistry([defineTool({ name: 'slow', execute: () => new Promise(() => undefined) })])
    const abort = new AbortController()
    const result = slow.dispatch(call('slow'), { signal: abort.signal })
    abort.abort()
    expect((await result).failure).toBe('aborted')
    expect((await slow.dispatch(call('slow'), { signal: abort.signal })).failure).toBe('aborted')
  })

  it('refuses two tools of one name, and what is no tool', () => {
    expect(() => toolRegistry([weather, weather])).toThrow('two tools of the name get_weather')
    expect(() => toolRegistry([{ name: 'x' } as never])).toThrow('defineTool()')
    expect(() => toolRegistry([], { limit: { unit: 'tokens', max: 5 } })).toThrow('with a tokenizer')
  })

  it('gives definitions that formats take', () => {
    const chat = formatChat('qwen3')
    expect(chat.render([{ role: 'user', content: 'x' }], { tools: registry.definitions() })).toContain(
      '"name": "get_weather"',
    )
  })
})

describe('defineTool', () => {
  it('takes a validator of the Standard Schema', async () => {
    const validator = {
      '~standard': {
        version: 1 as const,
        vendor: 'test',
        validate: async (value: unknown) =>
          typeof (value as { n?: unknown }).n === 'number'
            ? { value: { n: (value as { n: number }).n + 1 } }
            : { issues: [{ message: 'a number was expected', path: ['list', { key: 0 }, 'n'] }] },
      },
    }
    const jsonSchema = { type: 'object', properties: { n: { type: 'number' } } }
    const tool = defineTool({ name: 'f', parameters: validator, jsonSchema, execute: ({ n }) => n })
    const registry = toolRegistry([tool])
    expect((await registry.dispatch(call('f', { n: 1 }))).content).toBe('2')
    expect((await registry.dispatch(call('f', {}))).content).toContain('$.list[0].n: a number was expected')
    expect(tool.parameters).toEqual(jsonSchema)
    expect(() => defineTool({ name: 'f', parameters: validator })).toThrow(
      '(test) does not tell its JSON Schema',
    )
    const telling = Object.assign(() => undefined, validator, {
      toJSONSchema: () => ({ $schema: 'x', type: 'object' }),
    })
    expect(defineTool({ name: 'f', parameters: telling }).parameters).toEqual({ type: 'object' })
  })

  it.each(['', 'a b', 'a"b', 'a\nb', '<|user|>', 5])('refuses the name %j', (name) => {
    expect(() => defineTool({ name: name as string })).toThrow('the name may hold')
  })
})

describe('truncateResult', () => {
  it('cuts at characters, with a mark', () => {
    expect(truncateResult('👋👋👋', { unit: 'characters', max: 2 }, undefined)).toEqual({
      text: '👋👋 [TRUNCATED]',
      truncated: true,
    })
    expect(truncateResult('👋👋', { unit: 'characters', max: 2 }, undefined).truncated).toBe(false)
    const long = truncateResult('x'.repeat(2000), TRUNCATION['chatglm3-demo'], undefined).text
    expect(long).toBe(`${'x'.repeat(1024)} [TRUNCATED]`)
    expect(truncateResult('x'.repeat(2000), TRUNCATION.adapter, undefined).truncated).toBe(false)
  })

  it('cuts at tokens, never within a character', async () => {
    const { tokenizer } = await Chat.load('models/mini-chatglm3')
    const text = 'Weather 👋 in 北京 is fine today'
    for (let max = 0; max < 30; max++) {
      const cut = truncateResult(text, { unit: 'tokens', max, mark: '' }, tokenizer)
      expect(text.startsWith(cut.text)).toBe(true)
      expect(cut.text.isWellFormed()).toBe(true)
      expect(tokenizer.count(cut.text)).toBeLessThanOrEqual(Math.max(max, 0) + (cut.text === '' ? 0 : 0))
    }
  })
})

describe("OpenAI's shape", () => {
  const chat = formatChat('qwen3')

  it('is what a turn becomes, and calls come back', () => {
    const [turn] = chat.parse(
      idsOf(
        chat,
        '<think>\nhm\n</think>\n\n<tool_call>{"name": "f", "arguments": {"n": 12345678901234567890}}</tool_call><tool_call>{"name": "g", "arguments": {"a"</tool_call><|im_end|>',
      ),
    )
    if (turn === undefined) throw new Error('a turn was expected')
    const message = openAIMessage(turn)
    expect(message).toEqual({
      role: 'assistant',
      content: null,
      reasoning_content: 'hm',
      tool_calls: [
        {
          id: expect.stringMatching(/^call_[A-Za-z0-9]{24}$/),
          type: 'function',
          function: { name: 'f', arguments: '{"n": 12345678901234567890}' },
        },
        { id: expect.any(String), type: 'function', function: { name: 'g', arguments: '{"a"' } },
      ],
    })
    const [f, g] = (message.tool_calls ?? []).map(parsedToolCall)
    expect(f).toMatchObject({ name: 'f', json: '{"n": 12345678901234567890}' })
    expect(g?.error).toBeInstanceOf(ToolCallParseError)
  })

  it('gives ids that are unique', () => {
    const ids = new Set(Array.from({ length: 1000 }, () => parsedToolCall({ function: { name: 'f' } }).id))
    expect(ids.size).toBe(1000)
  })

  it('makes tools of definitions', async () => {
    const tools = toolsFromOpenAI(
      [{ type: 'function', function: { name: 'f', parameters: { type: 'object', required: ['a'] } } }],
      (name, input) => `${name} ${JSON.stringify(input)}`,
    )
    const registry = toolRegistry(tools)
    expect((await registry.dispatch(call('f', { a: 1 }))).content).toBe('f {"a":1}')
    expect((await registry.dispatch(call('f'))).failure).toBe('invalid-arguments')
    expect(() => toolsFromOpenAI([{ type: 'python' } as never])).toThrow('[0]')
  })
})

describe('toolMessages', () => {
  const calls = [
    { id: 'a', name: 'f' },
    { id: 'b', name: 'g' },
    { id: 'c', name: '' },
  ]

  it('puts results in the order of the calls, one for each', () => {
    const results = [
      { callId: 'b', content: '2' },
      { callId: 'a', content: '1' },
    ]
    expect(toolMessages(calls, results)).toEqual([
      { role: 'tool', tool_call_id: 'a', name: 'f', content: '1' },
      { role: 'tool', tool_call_id: 'b', name: 'g', content: '2' },
      { role: 'tool', tool_call_id: 'c', content: 'Error: the call has no result.' },
    ])
  })

  it('refuses a result of no call, and two of one', () => {
    expect(() => toolMessages(calls, [{ callId: 'x', content: '' }])).toThrow('there is no call "x"')
    const twice = { callId: 'a', content: '' }
    expect(() => toolMessages(calls, [twice, twice])).toThrow('two results of the call "a"')
  })
})
