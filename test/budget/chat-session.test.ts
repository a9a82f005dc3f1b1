// A session has the ids of encode, whatever is appended.
import { describe, expect, it } from 'vitest'
import { Chat } from '../../src/chat/chat.js'
import type { ChatRequest } from '../../src/chat/formats/format.js'
import { chatFormat } from '../../src/chat/formats/registry.js'
import type { ChatMessage } from '../../src/chat/messages.js'
import type { PromptWriter } from '../../src/chat/prompt-writer.js'
import { InvalidMessageError, SafetokensError } from '../../src/errors.js'
import { control } from '../../src/prompt/parts.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { byteLevelJson, jsonBytes } from '../fixtures/tokenizer-json.js'
import { attempt } from './attempt.js'
import { chatOfFormat, conversation, FORMATS, randomNumbers } from './conversations.js'

/** The others are one text between two control tokens. */
const INDEPENDENT = FORMATS.filter((format) => !['chatglm2', 'codegeex2'].includes(format))

describe.each(FORMATS)('%s', { timeout: 60_000 }, (format) => {
  it('has the ids of encoding from scratch after every turn', async () => {
    const chat = await chatOfFormat(format)
    for (let seed = 0; seed < 40; seed++) {
      const random = randomNumbers(seed)
      const { messages, options } = conversation(format, random, 7)
      const session = chat.session(options)
      let before: Uint32Array = new Uint32Array()
      for (let at = 0; at < messages.length; ) {
        const count = random() < 0.2 ? 2 : 1
        const added = messages.slice(at, at + count)
        at += added.length
        const expected = attempt(() => chat.encode(messages.slice(0, at), options).ids)
        if (expected instanceof SafetokensError) {
          // Some prefixes of a conversation are none.
          expect(() => session.append(...added)).toThrow(expected.message)
          expect(same(session.ids, before)).toBe(true)
          break
        }
        const { kept, ids } = session.append(...added)
        const whole = Uint32Array.of(...before.subarray(0, kept), ...ids)
        const where = `seed ${seed}, ${at} messages`
        expect(same(session.ids, expected), where).toBe(true)
        expect(session.count, where).toBe(expected.length)
        expect(same(whole, expected), where).toBe(true)
        before = expected
      }
    }
  })
})

/** Far faster than `toEqual`. */
function same(a: Uint32Array, b: Uint32Array): boolean {
  return a.length === b.length && a.every((id, i) => id === b[i])
}

it.each(FORMATS)(
  '%s: another conversation may take the place of one',
  { timeout: 60_000 },
  async (format) => {
    const chat = await chatOfFormat(format)
    const random = randomNumbers(7)
    const session = chat.session()
    for (let i = 0; i < 30; i++) {
      // Now one that has much in common with what was there, now another.
      const whole = conversation(format, randomNumbers(Math.floor(random() * 4)), 7).messages
      const messages = whole.slice(0, whole.length - Math.floor(random() * 3))
      const expected = attempt(() => chat.encode(messages).ids)
      const { ids: before } = session
      if (expected instanceof SafetokensError) {
        expect(() => session.replace(messages)).toThrow(expected.message)
        expect(same(session.ids, before)).toBe(true)
        continue
      }
      const { kept, ids } = session.replace(messages)
      expect(same(session.ids, expected)).toBe(true)
      expect(same(Uint32Array.of(...before.subarray(0, kept), ...ids), expected)).toBe(true)
      const more = { role: 'user', content: 'more' }
      const longer = attempt(() => chat.encode([...messages, more]).ids)
      if (longer instanceof SafetokensError) continue
      session.append(more)
      expect(same(session.ids, longer)).toBe(true)
    }
  },
)

const turns = (count: number): ChatMessage[] =>
  Array.from({ length: count }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: `turn ${i} says this`,
  }))

it.each(INDEPENDENT)('%s: a turn costs no more when there are many before it', async (format) => {
  const chat = await chatOfFormat(format)
  const session = chat.session({ messages: turns(20) })
  const cost = (messages: ChatMessage[]) => {
    const { encoded, wholePrompts } = session.stats
    const { ids } = session.append(...messages)
    return [session.stats.encoded - encoded, session.stats.wholePrompts - wholePrompts, ids.length < 200]
  }
  const [first, ...more] = Array.from({ length: 40 }, (_, i) => cost(turns(40).slice(i, i + 1)).join())
  expect(more.filter((_, i) => i % 2 === 1).every((each) => each === first)).toBe(true)
  expect(first).toMatch(/^\d,0,true$/)
  expect(session.stats.wholePrompts).toBe(1)
})

describe('a session', () => {
  it('keeps what it had when a turn is refused', async () => {
    const chat = await chatOfFormat('chatml')
    const session = chat.session({ messages: turns(6) })
    const { ids } = session
    expect(() => session.append({ role: 'root', content: 'x' })).toThrow('message 6: the role must be one of')
    expect(() => session.append({ role: 'user', content: 'a' }, { role: 'user', content: 'b' })).toThrow(
      'message 7',
    )
    for (const wrong of [null, 1, [], {}])
      expect(() => session.append(wrong as never)).toThrow(InvalidMessageError)
    expect(session.messages).toEqual(turns(6))
    expect(session.ids).toEqual(ids)
    session.append(...turns(1))
    expect(session.ids).toEqual(chat.encode([...turns(6), ...turns(1)]).ids)
  })

  it('knows of control tokens that take white space along', async () => {
    const names = ['<|im_start|>', '<|im_sep|>', '<|im_end|>']
    const flags = [
      { lstrip: true, rstrip: true },
      { lstrip: true, single_word: true },
      { normalized: true, lstrip: true },
    ]
    for (const each of flags) {
      const json = byteLevelJson({
        added: [...names.map((content) => ({ content, ...each })), { content: '  ', special: false }],
        preTokenizer: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
      })
      const chat = Chat.over(Tokenizer.from(jsonBytes(json)), { format: 'phi4' })
      const session = chat.session()
      const messages = turns(20).map(({ role, content }, i) => ({
        role,
        content: ' '.repeat(i % 4) + content + ' '.repeat(i % 3),
      }))
      messages.forEach((message, i) => {
        session.append(message)
        expect(session.ids).toEqual(chat.encode(messages.slice(0, i + 1)).ids)
      })
      expect(session.stats.wholePrompts).toBeLessThan(5)
    }
  })

  it('takes instructions that come later', async () => {
    for (const format of ['chatml', 'mistral-v3', 'mistral-v7', 'deepseek-v3', 'phi4']) {
      const chat = await chatOfFormat(format)
      const options = { onInvalid: 'ignore' } as const
      const messages: ChatMessage[] = [...turns(8), { role: 'system', content: 'Be brief.' }, ...turns(6)]
      const session = chat.session(options)
      messages.forEach((message, i) => {
        session.append(message)
        expect(session.ids, `${format} ${i}`).toEqual(chat.encode(messages.slice(0, i + 1), options).ids)
      })
    }
  })

  it('leaves the last turn open, and without a generation prompt', async () => {
    for (const format of INDEPENDENT) {
      for (const options of [{ addGenerationPrompt: false }, { continueFinalMessage: true }]) {
        const chat = await chatOfFormat(format)
        const session = chat.session(options)
        for (let i = 2; i <= 14; i += 2) {
          session.append(...turns(i).slice(i - 2))
          expect(session.ids, format).toEqual(chat.encode(turns(i), options).ids)
        }
      }
    }
  })

  it('counts control tokens that stand for several', async () => {
    const chat = await chatOfFormat('chatml')
    const session = chat.session({ messages: turns(4) })
    for (let i = 0; i < 3; i++) {
      session.append(
        { role: 'user', content: [control('<|im_end|>', { count: 100 }), 'what is this?'] },
        { role: 'assistant', content: 'no idea' },
      )
      expect(session.count).toBe(chat.count(session.messages).total)
      expect(session.count).toBe(session.ids.length + 99 * (i + 1))
    }
  })

  it('keeps the ids that the model wrote', async () => {
    for (const format of ['chatml', 'llama3', 'qwen3', 'chatglm3', 'harmony']) {
      const chat = await chatOfFormat(format)
      const { tokenizer } = chat
      const session = chat.session()
      let remembered = 0
      for (let round = 0; round < 8; round++) {
        session.append({ role: 'user', content: `question ${round}` })
        // Not as the encoder would write it: letter by letter.
        const letters = [...`answer ${round}`].flatMap((letter) => [...tokenizer.encode(letter)])
        const [turn] = chat.parse([...letters, chat.eosTokenIds[0] ?? 0])
        session.append(turn as ChatMessage)
        if (turn?.content.includes('answer')) remembered++
        expect(session.ids, format).toEqual(chat.encode(session.messages).ids)
        expect(session.count).toBe(chat.count(session.messages).total)
      }
      if (format === 'chatml') expect(remembered).toBe(8)
    }
  })

  it('joins turns of a role', async () => {
    const chat = await chatOfFormat('llama3')
    const messages = [...turns(5), ...turns(1), ...turns(1), ...turns(6).slice(1)]
    const session = chat.session({ mergeConsecutive: true })
    messages.forEach((message, i) => {
      session.append(message)
      expect(session.ids).toEqual(chat.encode(messages.slice(0, i + 1), { mergeConsecutive: true }).ids)
    })
  })

  it('writes the date of today', async () => {
    let now = new Date(2026, 0, 1)
    const chat = await Chat.over((await chatOfFormat('llama3.2')).tokenizer, {
      format: 'llama3.2',
      now: () => now,
    })
    const session = chat.session({ messages: turns(9) })
    now = new Date(2026, 0, 2)
    session.append(...turns(2).slice(1))
    expect(session.ids).toEqual(chat.encode(session.messages).ids)
  })

  it('follows a chat template that changes what it said', async () => {
    const { tokenizer } = await chatOfFormat('qwen3')
    const chatTemplate = `{%- for message in messages %}<|im_start|>{{ message.role }}
{%- if not loop.last and message.role == 'assistant' %} (earlier){% endif %}
{{ message.content }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`
    const chat = Chat.over(tokenizer, { chatTemplate })
    const session = chat.session({ addGenerationPrompt: false })
    turns(12).forEach((message, i) => {
      const { kept } = session.append(message)
      const ids = chat.encode(turns(i + 1), { addGenerationPrompt: false }).ids
      expect(session.ids).toEqual(ids)
      if (i > 4) expect(kept).toBeGreaterThan(ids.length / 2)
    })
    expect(session.stats).toMatchObject({ wholePrompts: 1, lastRounds: 11 })
  })

  it.each(INDEPENDENT)('%s: keeps what the model wrote', async (format) => {
    const chat = await chatOfFormat(format)
    const session = chat.session()
    for (let i = 0; i < 8; i++) {
      session.append({ role: 'user', content: `question ${i}` })
      // Not as the text of the reply would be encoded: letter by letter.
      const letters = [...`an${'s'.repeat(i)}wer`].flatMap((letter) => [...chat.tokenizer.encode(letter)])
      const [turn] = chat.parse(letters)
      session.append(turn as ChatMessage)
      expect(session.ids).toEqual(chat.encode(session.messages).ids)
      // Qwen 3 and Harmony write more around an answer than this model did.
      const kept = chat.guarantee !== 'textual' && !['qwen3', 'harmony'].includes(format)
      if (kept) expect([...session.ids].join()).toContain(letters.join())
    }
    expect(session.stats.wholePrompts).toBeLessThan(4)
  })

  it('takes very many messages at once', async () => {
    const chat = await chatOfFormat('chatml')
    const messages = Array.from({ length: 130_000 }, (_, i) => ({
      role: i % 2 === 0 ? 'user' : 'assistant',
      content: 'a',
    }))
    const session = chat.session({ messages })
    expect(session.count).toBe(chat.count(messages).total)
  }, 120_000)

  it('does not trust what a format of the caller says of one that it was made of', async () => {
    const base = chatFormat('chatml')
    const format = {
      ...base,
      name: 'numbered',
      write: (request: ChatRequest, writer: PromptWriter) => {
        writer.trusted(`${request.messages.length} turns`)
        base.write(request, writer)
      },
    }
    const chat = Chat.over((await chatOfFormat('chatml')).tokenizer, { format })
    const session = chat.session()
    turns(12).forEach((message, i) => {
      session.append(message)
      expect(session.ids).toEqual(chat.encode(turns(i + 1)).ids)
    })
    expect(session.stats).toMatchObject({ wholePrompts: 12, lastRounds: 0 })
  })

  it('refuses options that exclude each other', async () => {
    const chat = await chatOfFormat('chatml')
    expect(() => chat.session({ addGenerationPrompt: true, continueFinalMessage: true })).toThrow(
      'exclude each other',
    )
  })
})
