import { type LanguageModelV3Prompt, UnsupportedFunctionalityError } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { RememberedTurns } from '../../src/adapters/assistant-fields.js'
import { toChatMessages } from '../../src/ai-sdk/to-chat-messages.js'
import { call, turn } from '../adapters/reply-events.js'

const convert = (prompt: LanguageModelV3Prompt, remembered = new RememberedTurns()) =>
  toChatMessages(prompt, remembered)
type Output = Extract<
  Extract<LanguageModelV3Prompt[number], { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>['output']
const result = (toolCallId: string, output: Output) =>
  ({ type: 'tool-result', toolCallId, toolName: 'add', output }) as const

it('keeps roles, thoughts and calls, and puts system messages first', () => {
  const prompt: LanguageModelV3Prompt = [
    { role: 'system', content: 'a' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'q' },
        { type: 'text', text: '?' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'Let me.' },
        { type: 'tool-call', toolCallId: '1', toolName: 'add', input: { a: 1 } },
      ],
    },
    { role: 'tool', content: [result('1', { type: 'text', value: '3' })] },
    { role: 'system', content: 'b' },
  ]
  expect(convert(prompt)).toEqual([
    { role: 'system', content: 'a\nb' },
    { role: 'user', content: 'q?' },
    {
      role: 'assistant',
      content: 'Let me.',
      reasoning_content: 'hm',
      tool_calls: [{ id: '1', type: 'function', function: { name: 'add', arguments: { a: 1 } } }],
    },
    { role: 'tool', content: '3', tool_call_id: '1', name: 'add' },
  ])
})

it.each<[Output, string]>([
  [{ type: 'text', value: 'a' }, 'a'],
  [{ type: 'error-text', value: 'a' }, 'a'],
  [{ type: 'json', value: { a: [1] } }, '{"a":[1]}'],
  [{ type: 'error-json', value: null }, 'null'],
  [{ type: 'execution-denied' }, 'The user did not allow this call.'],
  [{ type: 'execution-denied', reason: 'no' }, 'no'],
  [
    {
      type: 'content',
      value: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    },
    'ab',
  ],
])('writes the result %j as text', (output, text) => {
  expect(convert([{ role: 'tool', content: [result('1', output)] }])[0]?.content).toBe(text)
})

it('puts results into the order of their calls', () => {
  const tool = (toolCallId: string) =>
    ({ type: 'tool-call', toolCallId, toolName: 'add', input: {} }) as const
  const messages = convert([
    { role: 'assistant', content: [tool('1'), tool('2')] },
    {
      role: 'tool',
      content: [result('2', { type: 'text', value: 'b' }), result('1', { type: 'text', value: 'a' })],
    },
  ])
  expect(messages.slice(1).map(({ content }) => content)).toEqual(['a', 'b'])
})

describe('what is no text is refused by name', () => {
  const file = { type: 'file', mediaType: 'image/png', data: 'AA==' } as const
  it.each<[string, LanguageModelV3Prompt]>([
    ['a file of the type image/png', [{ role: 'user', content: [file] }]],
    ['a file part in an assistant message', [{ role: 'assistant', content: [file] }]],
    [
      'a file-url part in a result of a tool',
      [
        {
          role: 'tool',
          content: [result('1', { type: 'content', value: [{ type: 'file-url', url: 'x' }] })],
        },
      ],
    ],
    [
      'a tool-approval-response part in a tool message',
      [{ role: 'tool', content: [{ type: 'tool-approval-response', approvalId: '1', approved: true }] }],
    ],
  ])('%s', (functionality, prompt) => {
    expect(() => convert(prompt)).toThrow(UnsupportedFunctionalityError)
    expect(() => convert(prompt)).toThrow(functionality)
  })
})

it('finds the turns that the model wrote', () => {
  const turns = [turn({ content: 'Let me.', toolCalls: [call('1', 'add', '{"a":1}')] })]
  const remembered = new RememberedTurns()
  remembered.remember(turns)
  const prompt: LanguageModelV3Prompt = [
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Let me.' },
        { type: 'tool-call', toolCallId: '1', toolName: 'add', input: { a: 1 } },
      ],
    },
  ]
  expect(convert(prompt, remembered)[0]).toBe(turns[0])
})
