import {
  AIMessage,
  type BaseMessage,
  ChatMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages'
import { describe, expect, it } from 'vitest'
import { RememberedTurns } from '../../src/adapters/assistant-fields.js'
import { InvalidMessageError } from '../../src/errors.js'
import { replyMessage } from '../../src/langchain/reply-chunks.js'
import { toChatMessages } from '../../src/langchain/to-chat-messages.js'
import { call, events, malformed, turn } from '../adapters/reply-events.js'

const convert = (messages: BaseMessage[], remembered = new RememberedTurns()) =>
  toChatMessages(messages, remembered)
const toolCall = (id: string) => ({ type: 'tool_call' as const, id, name: 'add', args: { a: 1 } })
const functionCall = (id: string, args: unknown = { a: 1 }) => ({
  id,
  type: 'function',
  function: { name: 'add', arguments: args },
})

it('puts system messages first, as one', () => {
  const messages = [new SystemMessage('a'), new HumanMessage('q'), new SystemMessage('b')]
  expect(convert(messages)).toEqual([
    { role: 'system', content: 'a\nb' },
    { role: 'user', content: 'q' },
  ])
})

it('keeps roles, names and parts', () => {
  const messages = [
    new HumanMessage({ content: [{ type: 'text', text: 'a' }], name: 'ann' }),
    new AIMessage({ content: 'b', additional_kwargs: { reasoning_content: 'c' } }),
    new ChatMessage('d', 'observation'),
  ]
  expect(convert(messages)).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'a' }], name: 'ann' },
    { role: 'assistant', content: 'b', reasoning_content: 'c' },
    { role: 'observation', content: 'd' },
  ])
})

it('puts results into the order of their calls, each run for itself', () => {
  const result = (id: string) => new ToolMessage({ content: `result ${id}`, tool_call_id: id, name: 'add' })
  const messages = [
    new AIMessage({ content: '', tool_calls: [toolCall('1'), toolCall('2')] }),
    ...[result('2'), result('x'), result('1')],
    new AIMessage({ content: '', tool_calls: [toolCall('3')] }),
    result('3'),
  ]
  expect(convert(messages).map(({ role, tool_call_id: id }) => [role, id])).toEqual([
    ['assistant', undefined],
    ...[
      ['tool', '1'],
      ['tool', '2'],
      ['tool', 'x'],
    ],
    ['assistant', undefined],
    ['tool', '3'],
  ])
  expect(convert(messages)[0]).toMatchObject({ tool_calls: [functionCall('1'), functionCall('2')] })
})

it('refuses what is no turn, with its index', () => {
  const work = () => convert([new HumanMessage('q'), new RemoveMessage({ id: '1' })])
  expect(work).toThrow(InvalidMessageError)
  expect(work).toThrow('message 1: a remove message has no place in a chat')
})

describe('a reply', () => {
  const turns = [
    turn({ content: 'One.', reasoning: 'x' }),
    turn({ toolCalls: [malformed('1', 'add', '{"a":'), call('2', 'add', '{"a":1}')] }),
  ]
  const remembered = new RememberedTurns()
  remembered.remember(turns)
  const end = [...events(turns)].at(-1) as Parameters<typeof replyMessage>[1]
  const message = replyMessage('m', end)

  it('comes back as the turns that the model wrote', () => {
    expect(convert([message], remembered)).toEqual(turns)
    expect(convert([message], remembered)[0]).toBe(turns[0])
  })

  it('does so after it was stored, and elsewhere as its fields', () => {
    const stored = JSON.parse(JSON.stringify(mapChatMessagesToStoredMessages([message])))
    const revived = mapStoredMessagesToChatMessages(stored)
    expect(convert(revived, remembered)[0]).toBe(turns[0])
    expect(convert(revived)).toEqual([
      {
        role: 'assistant',
        content: 'One.',
        reasoning_content: 'x',
        tool_calls: [functionCall('1', '{"a":'), functionCall('2')],
      },
    ])
  })
})
