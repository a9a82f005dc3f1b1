// I1, I2a and I2b over all formats: what texts say changes no control id and no list of parts.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FormatPrompts } from '../../../src/chat/format-prompts.js'
import { chatFormat, chatFormats } from '../../../src/chat/formats/registry.js'
import type { ChatMessage } from '../../../src/chat/messages.js'
import { InvalidMessageError } from '../../../src/errors.js'
import { PartKind } from '../../../src/prompt/parts.js'
import { ATTACKS, SPLIT_ATTACKS } from '../../attacks.js'
import { formatChat } from './format-chat.js'

const HALVES = SPLIT_ATTACKS.flat()

/** Any text that is not empty, whatever white space a format takes away. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(...ATTACKS, ...HALVES),
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc
        .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 })
        .map((units) => String.fromCharCode(...units)),
    ),
    { maxLength: 3 },
  )
  .map((texts) => `x${texts.join('')}x`)

/** Which fields there are, for a format: no text is in it. */
interface Turn {
  readonly role: string
  readonly parts: number
  readonly reasoning: boolean
  readonly calls: number
}

function shapes(format: string): fc.Arbitrary<Turn[]> {
  const { roles, fields } = chatFormat(format)
  return fc.array(
    fc.record({
      role: fc.constantFrom(...roles.filter((role) => role !== 'system')),
      parts: fc.integer({ min: 0, max: 2 }),
      reasoning: fc.boolean(),
      calls: fields.includes('tool_calls') ? fc.integer({ min: 0, max: 2 }) : fc.constant(0),
    }),
    { minLength: 1, maxLength: 5 },
  )
}

/** A conversation of that shape; each text is asked of `next`. */
function conversation(format: string, turns: readonly Turn[], next: () => string): ChatMessage[] {
  const { fields, takesTools, roles } = chatFormat(format)
  const tools = (): unknown => [
    { type: 'function', function: { name: 'f', description: next(), parameters: { [next()]: next() } } },
  ]
  const messages: ChatMessage[] = turns.map(({ role, parts, reasoning, calls }) => ({
    role,
    content: parts < 2 ? next() : Array.from({ length: parts }, () => ({ type: 'text', text: next() })),
    ...(role === 'assistant' && reasoning ? { reasoning_content: next() } : {}),
    ...(role === 'assistant' && calls > 0
      ? {
          tool_calls: Array.from({ length: calls }, (_, i) => ({
            id: `call0000${i}`,
            type: 'function',
            function: {
              name: 'f',
              arguments: i === 0 ? { city: next() } : JSON.stringify({ [next()]: next() }),
            },
          })),
        }
      : {}),
    ...(role === 'tool' ? { tool_call_id: 'call00000', name: 'f' } : {}),
  }))
  if (!roles.includes('system')) return messages
  const withTools = fields.includes('tools') && takesTools
  return [{ role: 'system', content: next(), ...(withTools ? { tools: tools() } : {}) }, ...messages]
}

describe.each(
  chatFormats()
    .map(({ name }) => name)
    .filter((name) => chatFormat(name).commands === undefined),
)('%s', (format) => {
  const chat = formatChat(format, { now: () => new Date(0) })
  const reserved = new Set(chat.tokenizer.reserved.map(({ id }) => id))
  const encode = (messages: ChatMessage[]): Uint32Array | undefined => {
    try {
      return chat.encode(messages, { onInvalid: 'ignore', onMarkerInContent: 'allow' }).ids
    } catch (error) {
      if (error instanceof InvalidMessageError) return undefined
      throw error
    }
  }

  const names: string[] = []
  const resolve = (name: string): number =>
    names.includes(name) ? names.indexOf(name) : names.push(name) - 1
  const prompts = new FormatPrompts(chatFormat(format), 'safe', resolve, () => new Date(0))
  /** The kinds of the parts, and which control tokens; the rule where the format refuses. */
  const partsOf = (messages: ChatMessage[]): string => {
    try {
      const { prompt } = prompts.prompt(messages, { onInvalid: 'ignore', onMarkerInContent: 'allow' })
      const pairs = Array.from({ length: prompt.parts.length / 2 }, (_, i) =>
        prompt.parts.slice(2 * i, 2 * i + 2),
      )
      return pairs.map(([kind, value]) => (kind === PartKind.control ? `${kind}:${value}` : kind)).join()
    } catch (error) {
      if (error instanceof InvalidMessageError) return error.rule
      throw error
    }
  }

  it('has the same list of parts whatever its texts say', () => {
    fc.assert(
      fc.property(shapes(format), fc.array(text, { minLength: 40, maxLength: 40 }), (turns, texts) => {
        let at = 0
        const hostile = partsOf(conversation(format, turns, () => texts[at++ % texts.length] as string))
        let count = 0
        expect(hostile).toBe(partsOf(conversation(format, turns, () => `word${count++}`)))
      }),
      { numRuns: 200 },
    )
  })

  it('has the same control ids whatever its texts say', () => {
    let encoded = 0
    fc.assert(
      fc.property(shapes(format), fc.array(text, { minLength: 40, maxLength: 40 }), (turns, texts) => {
        let at = 0
        const hostile = encode(conversation(format, turns, () => texts[at++ % texts.length] as string))
        let count = 0
        const plain = encode(conversation(format, turns, () => `word${count++}`))
        expect(hostile === undefined).toBe(plain === undefined)
        const controls = (ids: Uint32Array | undefined) => ids && [...ids].filter((id) => reserved.has(id))
        expect(controls(hostile)).toEqual(controls(plain))
        if (plain) encoded++
      }),
      { numRuns: 200 },
    )
    expect(encoded).toBeGreaterThan(20)
  })
})
