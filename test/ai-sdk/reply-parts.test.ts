import { describe, expect, it } from 'vitest'
import { ReplyParts } from '../../src/ai-sdk/reply-parts.js'
import type { Turn } from '../../src/output/types.js'
import { call, events, malformed, turn, USAGE } from '../adapters/reply-events.js'

const partsOf = (turns: readonly Turn[], usage = USAGE) => {
  const parts = new ReplyParts()
  return [...events(turns, usage)].flatMap((event) => parts.of(event))
}
const typesOf = (turns: readonly Turn[]): string[] => partsOf(turns).map(({ type }) => type)
const inputOf = (toolCall: Turn['toolCalls'][number]): string => {
  const part = partsOf([turn({ toolCalls: [toolCall] })]).find(({ type }) => type === 'tool-call')
  return (part as { input: string }).input
}

it('opens and closes a block for each text', () => {
  expect(typesOf([turn({ reasoning: 'ab', content: 'cd', toolCalls: [call('1', 'add', '{}')] })])).toEqual([
    ...['reasoning-start', 'reasoning-delta', 'reasoning-end'],
    ...['text-start', 'text-delta', 'text-end'],
    ...['tool-input-start', 'tool-input-delta', 'tool-input-end', 'tool-call'],
    'finish',
  ])
  expect(typesOf([turn()])).toEqual(['finish'])
})

it('gives each block its own id', () => {
  const turns = [turn({ reasoning: 'a', content: 'b' }), turn({ reasoning: 'c', content: 'd' })]
  const starts = partsOf(turns).flatMap((part) =>
    part.type.endsWith('-start') ? [(part as { id: string }).id] : [],
  )
  expect(starts).toEqual(['0', '1', '2', '3'])
})

it('sets the texts of several turns apart', () => {
  const texts = partsOf([turn({ content: 'One' }), turn(), turn({ content: 'Two' })])
    .flatMap((part) => (part.type === 'text-delta' ? [part.delta] : []))
    .join('')
  expect(texts).toBe('One\nTwo')
})

describe('the input of a call', () => {
  it('is what the model wrote', () => {
    expect(inputOf(call('1', 'add', '{"a": 1.0}'))).toBe('{"a": 1.0}')
  })

  it.each(['{"a":', '', '{}', '[1]'])('is no JSON where the model wrote %j and it is malformed', (raw) => {
    const input = inputOf(malformed('1', 'add', raw))
    expect(() => JSON.parse(input)).toThrow()
    expect(input).toContain(raw)
  })
})

it('ends with the reason and what it cost', () => {
  const finish = (more: Partial<Turn>, cachedTokens?: number) =>
    partsOf([turn(more)], { ...USAGE, cachedTokens }).at(-1)
  expect(finish({ content: 'a' }, 4)).toEqual({
    type: 'finish',
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: {
      inputTokens: { total: 5, noCache: 1, cacheRead: 4, cacheWrite: undefined },
      outputTokens: { total: 9, text: undefined, reasoning: undefined },
    },
  })
  expect(finish({ finish: 'length' })).toMatchObject({ finishReason: { unified: 'length' } })
  expect(finish({ toolCalls: [call('1', 'add', '{}')] })).toMatchObject({
    finishReason: { unified: 'tool-calls' },
  })
})
