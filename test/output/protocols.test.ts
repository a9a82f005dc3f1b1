// Replies of every protocol: what they say, and that it is the same however the ids are cut.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Chat } from '../../src/chat/chat.js'
import { ToolCallParseError } from '../../src/errors.js'
import { TOOL_PROTOCOLS } from '../../src/output/protocols/registry.js'
import type { ParseOptions, ReplyDelta, Turn } from '../../src/output/types.js'
import { ATTACKS } from '../attacks.js'
import { formatChat } from '../chat/formats/format-chat.js'
import { CASES, protocolChat } from './protocol-cases.js'
import { gathered, idsOf, plain, streamed } from './replies.js'

/** An error that a case leaves open is only known to be one. */
function expectTurns(turns: readonly Turn[], expected: readonly object[]): void {
  const open = JSON.stringify(expected).includes('"any"')
  const strip = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value, (key, v) => (open && key === 'error' ? 'any' : v)))
  expect(strip(turns.map(plain))).toEqual(strip(expected))
}

const withoutIds = (deltas: readonly ReplyDelta[]): unknown =>
  JSON.parse(JSON.stringify(gathered(deltas), (key, value) => (key === 'id' ? '' : value)))

/** Each id for itself, and what the turns say must be what the deltas told. */
async function expectSame(chat: Chat, ids: Uint32Array, options: ParseOptions): Promise<void> {
  const whole = await streamed(chat, ids, [], options)
  const single = await streamed(chat, ids, [...ids.keys()], options)
  const turns = whole.flatMap((delta) => (delta.type === 'end' ? delta.turns : []))
  expect(withoutIds(single)).toEqual(withoutIds(whole))
  expect(gathered(single).length).toBe(turns.length)
  for (const [i, turn] of turns.entries()) {
    expect(gathered(whole)[i]).toEqual({
      content: turn.content,
      reasoning: turn.reasoning ?? '',
      calls: turn.toolCalls.map(({ id, name, json, error }) => ({
        id,
        name,
        json: error === undefined ? json : expect.any(String),
      })),
    })
  }
}

it('has a case for every protocol but that of ChatGLM3', () => {
  const missing = TOOL_PROTOCOLS.filter((name) => !CASES.some(({ protocol }) => protocol === name))
  expect(missing).toEqual(['chatglm3'])
})

describe.each(CASES)('$protocol: $title', ({ chat: make, reply, turns, options = {} }) => {
  const chat = make()
  const ids = idsOf(chat, reply)
  const prompt = options.prompt && { prompt: idsOf(chat, 'x<think>y') }
  const all = { ...options, ...prompt }

  it('says what it should', () => {
    expectTurns(chat.parse(ids, all), turns)
  })

  it('says the same id by id', async () => {
    await expectSame(chat, ids, all)
  })

  it('says the same for every way of cutting it', async () => {
    const expected = withoutIds(await streamed(chat, ids, [], all))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(ids.length), { maxLength: 12 }), async (cuts) => {
        expect(withoutIds(await streamed(chat, ids, cuts, all))).toEqual(expected)
      }),
      { numRuns: 25 },
    )
  })

  it('is read to the same end wherever it is cut off', () => {
    for (let end = 0; end < ids.length; end += 3) {
      const cut = chat.parse(ids.slice(0, end), all)
      for (const { toolCalls } of cut) {
        for (const { error, rawArguments } of toolCalls) {
          if (error) expect(error).toBeInstanceOf(ToolCallParseError)
          if (error) expect(error.position).toBeLessThanOrEqual(rawArguments.length)
        }
      }
    }
  })
})

describe('text that spells control tokens', () => {
  const marks = [
    '<think>',
    '</think>',
    '<tool_call>',
    '</tool_call>',
    '<arg_key>',
    '[TOOL_CALLS]',
    '[ARGS]',
    '<|python_tag|>',
    '<｜tool▁calls▁begin｜>',
    '<|channel|>',
    '<|message|>',
    '<start_function_call>',
    '<|tool_call>',
    '<|tool_call|>',
    '<|/tool_call|>',
    '<|assistant|>',
    '<|user|>',
    '<|im_end|>',
    '</s>',
  ]

  it.each(TOOL_PROTOCOLS.filter((name) => name !== 'harmony'))('is content of %s', (name) => {
    const chat = protocolChat(
      name,
      marks.filter((mark) => !mark.startsWith('<|im_')),
    )
    const begin = name === 'chatglm3' || name === 'glm4' ? '\n' : ''
    for (const attack of [...ATTACKS, ...marks.map((mark) => `a ${mark} {"name": "f"} b`)]) {
      const said = attack.replace(/[\ud800-\udfff]/g, (unit, at) =>
        (attack.codePointAt(at) ?? 0) > 0xffff || (at > 0 && (attack.codePointAt(at - 1) ?? 0) > 0xffff)
          ? unit
          : '\ufffd',
      )
      const ids = [...chat.tokenizer.encode(`${begin}x${attack}x`), ...idsOf(chat, '<|im_end|>')]
      expect(chat.parse(ids).map(plain)).toEqual([{ content: `x${said}x`, calls: [], finish: 'stop' }])
    }
  })

  it('is content of harmony', () => {
    const chat = formatChat('harmony')
    for (const attack of ATTACKS.filter((each) => !/[\ud800-\udfff]/.test(each))) {
      const ids = [
        ...idsOf(chat, '<|channel|>final<|message|>'),
        ...chat.tokenizer.encode(attack),
        ...idsOf(chat, '<|return|>'),
      ]
      expect(chat.parse(ids).map(plain)).toEqual([{ content: attack, calls: [], finish: 'stop' }])
    }
  })
})

describe('what ends a reply', () => {
  const chat = protocolChat('text')
  const { tokenizer } = chat

  it('is a stop id, and nothing behind it is read', async () => {
    const ids = idsOf(chat, 'a<|im_end|>b<|im_start|>c')
    expect(chat.parse(ids).map(plain)).toEqual([{ content: 'a', calls: [], finish: 'stop' }])
    const deltas = await streamed(chat, ids, [...ids.keys()])
    expect(deltas.at(-1)).toMatchObject({ type: 'end', finish: 'stop', tokenCount: 2 })
  })

  it('is an id of the caller, also an ordinary one', () => {
    const [b] = tokenizer.encode('b')
    expect(chat.parse(tokenizer.encode('abc'), { stopIds: [b as number] })[0]).toMatchObject({
      content: 'a',
      finish: 'stop',
    })
  })

  it('is what the engine says, where no stop id came', () => {
    const ids = tokenizer.encode('abc')
    expect(chat.parse(ids)[0]?.finish).toBe('length')
    expect(chat.parse(ids, { finish: 'stop' })[0]?.finish).toBe('stop')
    expect(chat.parse(ids, { finish: () => undefined })[0]?.finish).toBe('length')
  })

  it('closes the source, once', async () => {
    let closed = 0
    async function* source(): AsyncGenerator<number> {
      try {
        yield* idsOf(chat, 'a<|im_end|>b')
      } finally {
        closed++
      }
    }
    for await (const _ of chat.stream(source()));
    expect(closed).toBe(1)
    for await (const delta of chat.stream(source())) if (delta.type === 'text') break
    expect(closed).toBe(2)
  })

  it('passes on what the source throws', async () => {
    async function* source(): AsyncGenerator<number> {
      yield* idsOf(chat, 'a')
      throw new RangeError('the server is gone')
    }
    await expect(async () => {
      for await (const _ of chat.stream(source()));
    }).rejects.toThrow('the server is gone')
  })

  it('is a stop text across the borders of tokens, cut anywhere, as a slow reader finds it', async () => {
    const slow = (text: string, stops: readonly string[]): string => {
      for (let end = 1; end <= text.length; end++) {
        const found = stops.filter((stop) => text.slice(0, end).endsWith(stop))
        const longest = found.sort((a, b) => b.length - a.length)[0]
        if (longest !== undefined) return text.slice(0, end - longest.length)
      }
      return text
    }
    const word = fc.string({ unit: fc.constantFrom('a', 'b', '你', '👋'), minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom('a', 'b', '你', '👋'), maxLength: 30 }),
        fc.array(word, { minLength: 1, maxLength: 3 }),
        fc.array(fc.nat(60), { maxLength: 5 }),
        async (text, stop, cuts) => {
          const ids = tokenizer.encode(text)
          const [turn] = chat.parse(ids, { stop })
          expect(turn?.content).toBe(slow(text, stop))
          expect(turn?.finish).toBe(turn?.content === text ? 'length' : 'stop-string')
          const places = cuts.map((cut) => Math.min(cut, ids.length))
          const deltas = await streamed(chat, ids, places, { stop })
          expect(gathered(deltas)).toMatchObject([{ content: turn?.content }])
          const single = await streamed(chat, ids, [...ids.keys()], { stop })
          expect(single.at(-1)).toEqual(deltas.at(-1))
        },
      ),
      { numRuns: 400 },
    )
  })

  it('is no stop text across a control token', () => {
    const [turn] = chat.parse(idsOf(chat, 'ST<|im_start|>OP'), { stop: ['STOP'] })
    expect(turn).toMatchObject({ content: 'STOP', finish: 'length', unexpected: [{ index: 2 }] })
  })

  it('refuses an empty stop text', () => {
    expect(() => chat.parse([], { stop: [''] })).toThrow('none of them empty')
  })
})

describe('any ids', () => {
  it.each(TOOL_PROTOCOLS)('are read by %s without an error, the same however they are cut', async (name) => {
    const marks = CASES.filter(({ protocol }) => protocol === name).flatMap(
      ({ reply }) => reply.match(/<[^<>\n]{2,30}>|\[\/?[A-Z_]+\]/g) ?? [],
    )
    const added = [...new Set([...marks, '<|assistant|>', '<|user|>'])].filter(
      (mark) => !mark.startsWith('<|im_'),
    )
    const chat = protocolChat(name, added)
    const { vocabSize } = chat.tokenizer
    const pieces = [
      ...added,
      '{',
      '}',
      '"name": ',
      '"f"',
      ', ',
      '"arguments": ',
      '"a"',
      ':',
      '[',
      ']',
      '\n',
      'f',
      '<function=f>',
      '<parameter=a>',
      '</parameter>',
      '</function>',
      '```',
      'tool_call(a=1)',
    ]
    const reply = fc.array(
      fc.oneof(
        fc.constantFrom(...pieces).map((piece) => [...idsOf(chat, piece)]),
        fc.nat(vocabSize + 3).map((id) => [id]),
      ),
      { maxLength: 40 },
    )
    await fc.assert(
      fc.asyncProperty(reply, fc.array(fc.nat(60), { maxLength: 6 }), async (parts, cuts) => {
        const ids = Uint32Array.from(parts.flat())
        const turns = chat.parse(ids)
        expect(turns.length).toBeGreaterThan(0)
        for (const { content, reasoning } of turns) {
          for (const text of [content, reasoning ?? '']) expect(text.isWellFormed()).toBe(true)
        }
        await expectSame(chat, ids, {})
        const places = cuts.map((cut) => Math.min(cut, ids.length))
        const whole = withoutIds(await streamed(chat, ids, []))
        expect(withoutIds(await streamed(chat, ids, places))).toEqual(whole)
      }),
      { numRuns: 150 },
    )
  })
})
