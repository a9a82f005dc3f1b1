// The invariants of docs/architecture.md as properties, on the model that comes with the package.
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { Chat } from '../src/chat/chat.js'
import type { ChatMessage } from '../src/chat/messages.js'
import { defaultModelPath } from '../src/cli/package-files.js'
import { type Part, trusted } from '../src/prompt/parts.js'
import { ATTACKS, SPLIT_ATTACKS } from './attacks.js'

/** Any UTF-16 text, lone surrogates included, with attacks mixed in. */
const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...ATTACKS),
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc
        .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 })
        .map((units) => String.fromCharCode(...units)),
    ),
    { maxLength: 6 },
  )
  .map((texts) => texts.join(''))

let chat: Chat
let reserved: Set<number>
beforeAll(async () => {
  chat = await Chat.load(defaultModelPath())
  reserved = new Set(chat.tokenizer.reserved.map(({ id }) => id))
})

const reservedIn = (ids: Iterable<number>): number[] => [...ids].filter((id) => reserved.has(id))

describe('I1: no text reaches a reserved id', () => {
  it('holds for every attack, alone', () => {
    for (const attack of ATTACKS) expect(reservedIn(chat.tokenizer.encode(attack)), attack).toEqual([])
  })

  it('holds for any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(reservedIn(chat.tokenizer.encode(text))).toEqual([])
      }),
      { numRuns: 2000 },
    )
  })

  it('holds for data beside data and beside trusted text', () => {
    const tokenizer = chat.tokenizer
    for (const [left, right] of SPLIT_ATTACKS) {
      const inputs: Part[][] = [
        [left, right],
        [trusted(left), right],
        [left, trusted(right)],
        [trusted(left), '', trusted(right)],
      ]
      for (const parts of inputs)
        expect(reservedIn(tokenizer.encode(parts)), `${left} + ${right}`).toEqual([])
      expect(reservedIn(tokenizer.encode([trusted(left), trusted(right)])).length).toBeLessThanOrEqual(1)
    }
    expect(reservedIn(tokenizer.encode([trusted('<|us'), trusted('er|>')]))).toEqual([
      tokenizer.getCommand('<|user|>'),
    ])
  })
})

describe('I2a: data never changes the control ids', () => {
  const conversation = (texts: readonly string[]): ChatMessage[] => [
    { role: 'system', content: texts[0] ?? '', tools: [{ name: texts[1], description: texts[2] }] },
    { role: 'user', content: texts[3] ?? '' },
    {
      role: 'assistant',
      metadata: (texts[4] ?? '').replace(/[\p{Cc}\u2028\u2029]/gu, ' '),
      content: texts[5] ?? '',
    },
    { role: 'observation', content: [{ type: 'text', text: texts[6] ?? '' }, texts[7] ?? ''] },
  ]

  it('whatever stands in every field of a conversation', () => {
    const skeleton = reservedIn(chat.encode(conversation([])).ids)
    const names = [
      '[gMASK]',
      'sop',
      '<|system|>',
      '<|user|>',
      '<|assistant|>',
      '<|observation|>',
      '<|assistant|>',
    ]
    expect(skeleton).toEqual(names.map((name) => chat.tokenizer.getCommand(name)))
    fc.assert(
      fc.property(fc.array(anyText, { minLength: 8, maxLength: 8 }), (texts) => {
        expect(reservedIn(chat.encode(conversation(texts)).ids)).toEqual(skeleton)
      }),
      { numRuns: 500 },
    )
  })

  it('nor what stands in a list of parts', () => {
    const part = fc.oneof(
      anyText.map((data) => ({ data })),
      fc.constantFrom('<|user|>', 'a<|us', 'er|>b', 'sop', '', '\n').map((text) => ({ text })),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (list) => {
        const parts = (data: (text: string) => string): Part[] =>
          list.map((entry) => ('data' in entry ? data(entry.data) : trusted(entry.text)))
        const withData = chat.tokenizer.encode(parts((text) => text))
        const without = chat.tokenizer.encode(parts(() => ''))
        expect(reservedIn(withData)).toEqual(reservedIn(without))
      }),
      { numRuns: 1000 },
    )
  })
})

describe('I4: text comes back', () => {
  it('up to U+2581 for a space and U+FFFD for a lone surrogate', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const expected = text.toWellFormed().replaceAll('▁', ' ')
        const ids = chat.tokenizer.encode(text)
        expect(chat.tokenizer.decode(ids)).toBe(expected)
        const [part, ...more] = chat.tokenizer.decodeParts(ids)
        expect(part).toEqual(expected === '' ? undefined : { type: 'text', text: expected })
        expect(more).toEqual([])
      }),
      { numRuns: 2000 },
    )
  })

  it('decodeParts gives back the parts of a conversation', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { ids } = chat.encode([{ role: 'user', content: text }])
        const content = text.toWellFormed().replaceAll('▁', ' ')
        // The content is a call of its own and has its own dummy prefix, which reads as a space after the newline.
        const body = content === '' ? '\n' : `\n ${content}`
        expect(chat.tokenizer.decodeParts(ids)).toEqual([
          ...['[gMASK]', 'sop', '<|user|>'].map(control),
          { type: 'text', text: body },
          control('<|assistant|>'),
        ])
      }),
    )
  })

  function control(name: string) {
    return { type: 'control', id: chat.tokenizer.getCommand(name), name }
  }
})

describe('the count', () => {
  it('is the number of ids', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(chat.tokenizer.count(text)).toBe(chat.tokenizer.encode(text).length)
        const messages = [{ role: 'user', content: text }]
        expect(chat.count(messages).total).toBe(chat.encode(messages).ids.length)
      }),
    )
  })
})
