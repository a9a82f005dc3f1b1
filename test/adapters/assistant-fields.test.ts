import { describe, expect, it } from 'vitest'
import { assistantFields, malformedText, RememberedTurns } from '../../src/adapters/assistant-fields.js'
import { call, malformed, turn } from './reply-events.js'

const ADD = call('call_1', 'add', '{"a":1}')

describe('a reply as one message', () => {
  it('joins the texts of its turns, and keeps all calls', () => {
    const bad = malformed('call_2', 'add', '{"a":')
    const turns = [
      turn({ content: 'One.', reasoning: 'x' }),
      turn(),
      turn({ content: 'Two.', toolCalls: [ADD, bad] }),
    ]
    expect(assistantFields(turns)).toEqual({
      text: 'One.\nTwo.',
      reasoning: 'x',
      calls: [
        { id: 'call_1', name: 'add', arguments: { a: 1 } },
        { id: 'call_2', name: 'add', arguments: '{"a":' },
      ],
    })
  })

  it.each([
    ['{"a":', '{"a":'],
    ['', 'malformed: '],
    ['{}', 'malformed: {}'],
    ['[1]', 'malformed: [1]'],
  ])('has a text for the malformed arguments %j that is no JSON', (raw, text) => {
    expect(malformedText(malformed('call_1', 'add', raw))).toBe(text)
    expect(() => JSON.parse(text)).toThrow()
  })
})

describe('remembered turns', () => {
  const turns = [turn({ content: 'One.', reasoning: 'thought', toolCalls: [ADD] })]
  const fields = assistantFields(turns)
  const remembered = new RememberedTurns()
  remembered.remember(turns)

  it('are found by what a copy keeps', () => {
    expect(remembered.messages(JSON.parse(JSON.stringify(fields)))).toBe(turns)
  })

  it.each([
    ['text', { ...fields, text: 'One' }],
    ['reasoning', { ...fields, reasoning: '' }],
    ['arguments', { ...fields, calls: [{ id: 'call_1', name: 'add', arguments: { a: 2 } }] }],
    ['calls', { ...fields, calls: [] }],
  ])('are not found when the %s changed', (_, changed) => {
    const [message] = remembered.messages(changed)
    expect(message).not.toBe(turns[0])
    expect(message).toMatchObject({ role: 'assistant', content: changed.text })
  })

  it('are 256 at most, the latest ones', () => {
    const many = new RememberedTurns()
    const replies = Array.from({ length: 300 }, (_, i) => [turn({ content: String(i) })])
    for (const reply of replies) many.remember(reply)
    const found = replies.filter((reply) => many.messages(assistantFields(reply)) === reply)
    expect(found).toEqual(replies.slice(-256))
  })

  it('that are unknown are made of the fields', () => {
    expect(new RememberedTurns().messages(fields)).toEqual([
      {
        role: 'assistant',
        content: 'One.',
        reasoning_content: 'thought',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'add', arguments: { a: 1 } } }],
      },
    ])
  })
})
