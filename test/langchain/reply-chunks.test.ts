import { AIMessageChunk } from '@langchain/core/messages'
import type { ChatGenerationChunk } from '@langchain/core/outputs'
import { concat } from '@langchain/core/utils/stream'
import { describe, expect, it } from 'vitest'
import { ReplyChunks, replyMessage } from '../../src/langchain/reply-chunks.js'
import type { Turn } from '../../src/output/types.js'
import { call, events, malformed, turn, USAGE } from '../adapters/reply-events.js'

function chunksOf(turns: readonly Turn[]): ChatGenerationChunk[] {
  const chunks = new ReplyChunks('m')
  return [...events(turns)].flatMap((event) => chunks.of(event) ?? [])
}

const joined = (turns: readonly Turn[]): AIMessageChunk =>
  chunksOf(turns).reduce((all, chunk) => concat(all, chunk)).message as AIMessageChunk

const whole = (turns: readonly Turn[]) =>
  replyMessage('m', [...events(turns)].at(-1) as Parameters<typeof replyMessage>[1])

describe.each<[string, Turn[]]>([
  ['text', [turn({ content: 'Hello there' })]],
  ['nothing', [turn()]],
  ['thoughts', [turn({ content: 'Hello', reasoning: 'let me see' })]],
  [
    'several turns',
    [turn({ content: 'One.', reasoning: 'a' }), turn(), turn({ content: 'Two.', reasoning: 'b' })],
  ],
  [
    'calls',
    [turn({ content: 'Let me.', toolCalls: [call('1', 'add', '{"a":1,"b":[2]}'), call('2', 'now', '{}')] })],
  ],
  [
    'calls of several turns',
    [turn({ toolCalls: [call('1', 'add', '{}')] }), turn({ toolCalls: [call('2', 'add', '{"a":2}')] })],
  ],
  [
    'a call that breaks off',
    [turn({ toolCalls: [call('1', 'add', '{"a":1}'), malformed('2', 'add', '{"a":')] })],
  ],
  ['a call that says too little', [turn({ toolCalls: [malformed('1', 'add', '', '')] })]],
  ['a call of which JSON is only a part', [turn({ toolCalls: [malformed('1', 'add', 'add(1', '{}')] })]],
  ['a call with a list', [turn({ toolCalls: [malformed('1', 'add', '[1]')] })]],
])('a reply with %s', (_, turns) => {
  it('is the same in chunks as whole', () => {
    const [chunk, message] = [joined(turns), whole(turns)]
    expect(chunk.content).toBe(message.content)
    expect(chunk.tool_calls).toEqual(message.tool_calls)
    expect(chunk.invalid_tool_calls?.map(({ id, name, error }) => ({ id, name, error }))).toEqual(
      message.invalid_tool_calls?.map(({ id, name, error }) => ({ id, name, error })),
    )
    expect(chunk.additional_kwargs).toEqual(message.additional_kwargs)
    expect(chunk.response_metadata).toMatchObject(message.response_metadata)
    expect(chunk.usage_metadata).toMatchObject({ input_tokens: 5, output_tokens: 9, total_tokens: 14 })
    expect(message.usage_metadata).toEqual({ input_tokens: 5, output_tokens: 9, total_tokens: 14 })
  })

  it('has no malformed call among the others, not even for those who read the chunks themselves', () => {
    const malformedIds = turns.flatMap(({ toolCalls }) =>
      toolCalls.flatMap(({ id, error }) => (error ? [id] : [])),
    )
    const plain = chunksOf(turns)
      .map(({ message }) => new AIMessageChunk({ ...(message as AIMessageChunk) } as never))
      .reduce((all, chunk) => all.concat(chunk))
    for (const { id, args = '' } of plain.tool_call_chunks ?? []) {
      const read = (): unknown => JSON.parse(args)
      if (malformedIds.includes(id ?? '')) expect(read).toThrow()
      else expect(read()).toBeTypeOf('object')
    }
  })
})

it('says how it ended', () => {
  const metadata = (turns: Turn[]) => whole(turns).response_metadata
  const common = { model_name: 'm', model_provider: 'safetokens' }
  expect(metadata([turn({ content: 'a' })])).toEqual({ ...common, finish_reason: 'stop' })
  expect(metadata([turn({ content: 'a', finish: 'length' })])).toEqual({ ...common, finish_reason: 'length' })
  expect(metadata([turn({ toolCalls: [call('1', 'add', '{}')] })])).toEqual({
    ...common,
    finish_reason: 'tool_calls',
  })
  expect(metadata([turn({ content: 'a', finish: 'stop-string', stopString: 'X' })])).toEqual({
    ...common,
    finish_reason: 'stop',
    stop_sequence: 'X',
  })
})

it('tells what was cached', () => {
  const chunks = new ReplyChunks('m')
  const usage = { ...USAGE, cachedTokens: 4 }
  const last = [...events([turn()], usage)].flatMap((event) => chunks.of(event) ?? []).at(-1)
  expect(last?.message).toMatchObject({ usage_metadata: { input_token_details: { cache_read: 4 } } })
})
