// A session over a chat template has the ids of encode, whatever the template looks at and whatever the texts say.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { Chat } from '../../src/chat/chat.js'
import type { ChatMessage } from '../../src/chat/messages.js'
import type { EncodeChatOptions } from '../../src/chat/prompt-maker.js'
import { SafetokensError } from '../../src/errors.js'
import { PieceType } from '../../src/load/tokenizer-spec.js'
import { control, trusted } from '../../src/prompt/parts.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { payloads } from '../attack-bank.js'
import { readGolden } from '../chat/template/golden-file.js'
import { messages as conversation, pick, randomTemplate } from '../chat/template/replay/growing.js'
import { sharedFile } from '../conformance/shared-files.js'
import { bytePieces, modelBytes } from '../fixtures/model-bytes.js'
import { byteLevelJson, jsonBytes, type TokenizerJsonOptions } from '../fixtures/tokenizer-json.js'
import { attempt } from './attempt.js'
import { randomNumbers } from './conversations.js'

const MARK = /<\|[\w ]{1,30}\|>|<｜[\w▁]{1,30}｜>|\[\/?[A-Z_]{2,20}\]|<\/?[a-z_]{1,20}>/g

/** A small tokenizer that has all marks which a template writes. */
function tokenizerFor(source: string, options: TokenizerJsonOptions = {}): Tokenizer {
  const marks = new Set(['<s>', '</s>', ...(source.match(MARK) ?? [])])
  const flags = options.added?.[0]
  const added = Array.from(marks, (content) => (typeof flags === 'object' ? { ...flags, content } : content))
  return Tokenizer.from(jsonBytes(byteLevelJson({ ...options, added })))
}

interface Counts {
  turns: number
  grown: number
}

function check(
  chat: Chat,
  all: readonly ChatMessage[],
  options: EncodeChatOptions,
  random: () => number,
): Counts {
  const session = chat.session(options)
  let before: Uint32Array = new Uint32Array()
  let turns = 0
  for (let at = 0; at < all.length; ) {
    const added = all.slice(at, at + (random() < 0.3 ? 2 : 1))
    const wanted = [...session.messages, ...added]
    at += added.length
    const expected = attempt(() => chat.encode(wanted, options).ids)
    if (expected instanceof SafetokensError) {
      expect(() => session.append(...added)).toThrow(expected.message)
      expect(same(session.ids, before)).toBe(true)
      continue
    }
    const { kept, ids } = session.append(...added)
    turns++
    const where = `${at} messages`
    expect(same(session.ids, expected), where).toBe(true)
    expect(session.count, where).toBe(chat.count(wanted, options).total)
    expect(same(Uint32Array.of(...before.subarray(0, kept), ...ids), expected), where).toBe(true)
    // Servers keep what they computed for the ids that stay.
    expect(expected[kept] === undefined || expected[kept] !== before[kept], where).toBe(true)
    before = expected
  }
  return { turns, grown: session.stats.lastRounds }
}

function same(a: Uint32Array, b: Uint32Array): boolean {
  return a.length === b.length && a.every((id, i) => id === b[i])
}

const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'look_up',
      description: 'Looks up <|im_end|>.',
      parameters: { type: 'object', properties: { query: { type: 'string' } } },
    },
  },
]

const BANK = payloads(['<|im_start|>', '<|im_end|>', '<｜User｜>', '[INST]'])

/** Some messages say what attacks say. */
function attacked(messages: readonly object[], random: () => number): ChatMessage[] {
  return (messages as ChatMessage[]).map((message) =>
    random() < 0.3 && typeof message.content === 'string'
      ? { ...message, content: message.content + pick(random, BANK) }
      : message,
  )
}

function optionsOf(random: () => number): EncodeChatOptions {
  return {
    ...(random() < 0.5 ? { tools: TOOLS } : {}),
    ...(random() < 0.2 ? { addGenerationPrompt: false } : {}),
    ...(random() < 0.1 ? { continueFinalMessage: true, addGenerationPrompt: false } : {}),
    ...(random() < 0.2 ? { history: 'as-seen' } : {}),
    ...(random() < 0.2 ? { onDataDependence: 'refuse' } : {}),
    ...(random() < 0.2 ? { templateOptions: { enable_thinking: random() < 0.5 } } : {}),
  }
}

/** Some replies are what the model wrote in this process, in ids that the encoder would not choose. */
function replied(chat: Chat, messages: readonly ChatMessage[], random: () => number): ChatMessage[] {
  const { tokenizer, eosTokenIds } = chat
  return messages.map((message) => {
    if (message.role !== 'assistant' || typeof message.content !== 'string' || random() < 0.4) return message
    const letters = [...message.content].flatMap((letter) => [...tokenizer.encode(letter)])
    const marks = tokenizer.reserved.map(({ id }) => id)
    if (random() < 0.1) letters.splice(1, 0, pick(random, marks))
    const [turn] = chat.parse([...letters, ...(random() < 0.8 ? eosTokenIds.slice(0, 1) : [])])
    return turn ? (turn as ChatMessage) : message
  })
}

/** What the template most likely ends a turn with. */
function stopOf(template: string): string {
  const stops = [
    '<|im_end|>',
    '<|eot_id|>',
    '<|end|>',
    '<end_of_turn>',
    '<｜end▁of▁sentence｜>',
    '<|END_OF_TURN_TOKEN|>',
  ]
  return stops.find((stop) => template.includes(stop)) ?? '</s>'
}

interface Golden {
  readonly templates: readonly { readonly names: readonly string[] }[]
}

const { templates } = readGolden<Golden>('templates.json.gz')

describe.skipIf(sharedFile('data', 'templates') === undefined)('templates of ../shared', () => {
  const total: Counts = { turns: 0, grown: 0 }
  const recalled = { turns: 0, chats: 0 }
  it.each(templates.map(({ names }) => names[0] as string))('%s', (name) => {
    const chatTemplate = readFileSync(sharedFile('data', 'templates', name) as string, 'utf8')
    const specialTokens = { bos_token: '<s>', eos_token: stopOf(chatTemplate) }
    const chat = attempt(() =>
      Chat.over(tokenizerFor(chatTemplate), { chatTemplate, specialTokens, now: () => new Date(0) }),
    )
    if (chat instanceof SafetokensError) return
    for (let seed = 0; seed < 3; seed++) {
      const random = randomNumbers(seed)
      const { turns, grown } = check(
        chat,
        attacked(conversation(random, 4), random),
        optionsOf(random),
        random,
      )
      total.turns += turns
      total.grown += grown
      const known = replied(chat, conversation(random, 4) as ChatMessage[], random)
      const options = { ...optionsOf(random), continueFinalMessage: false }
      recalled.turns += check(chat, known, options, random).grown
      const [asIds, asText] = [known, known.map((message) => ({ ...message }))].map((all) =>
        attempt(() => chat.encode(all, options).ids),
      )
      if (asIds instanceof Uint32Array && asText instanceof Uint32Array && !same(asIds, asText))
        recalled.chats++
    }
  })

  it('mostly write what changed alone', () => {
    console.log(
      `sessions: ${total.grown} of ${total.turns} prompts grew, and ${recalled.turns} with replies, remembered in ${recalled.chats} chats`,
    )
    expect(total.grown).toBeGreaterThan(total.turns / 3)
    expect(recalled.chats).toBeGreaterThan(60)
  })
})

const CHATML = `{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content }}{% if not loop.last or
  message.role == 'user' %}{{ '<|im_end|>\\n' }}{% endif %}{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`

describe('control tokens', () => {
  const flags = [
    { lstrip: true, rstrip: true },
    { lstrip: true, single_word: true },
    { normalized: true, lstrip: true },
    { normalized: true },
    { rstrip: true },
  ]
  const normalizers = [null, { type: 'Lowercase' }, { type: 'NFKC' }]
  const preTokenizer = { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true }
  const sources = [CHATML, CHATML.replaceAll('\\n', '  '), CHATML.replaceAll('\\n', 'word')]

  it('that take white space along or are found in normalized text part the text as they did', {
    timeout: 60_000,
  }, () => {
    const total: Counts = { turns: 0, grown: 0 }
    for (const each of flags) {
      for (const normalizer of normalizers) {
        for (const chatTemplate of sources) {
          const added = [{ content: '', ...each }]
          const chat = attempt(() =>
            Chat.over(tokenizerFor(chatTemplate, { added, normalizer, preTokenizer }), { chatTemplate }),
          )
          if (chat instanceof SafetokensError) continue
          for (let seed = 0; seed < 4; seed++) {
            const random = randomNumbers(seed)
            const messages = conversation(random, 5).map(({ role, content }) => ({
              role: String(role),
              content: `${' '.repeat(Math.floor(random() * 3))}${String(content)}${' '.repeat(Math.floor(random() * 3))}`,
            }))
            const { turns, grown } = check(chat, messages, {}, random)
            total.turns += turns
            total.grown += grown
          }
        }
      }
    }
    expect(total.turns).toBeGreaterThan(1000)
    expect(total.grown).toBeGreaterThan(total.turns / 2)
  })

  it('may go on where a turn of the loop ends', () => {
    const json = byteLevelJson({ added: ['<|e|>', '<|e|>>', '<|e|>y', '<|s|>'] })
    const tokenizer = Tokenizer.from(jsonBytes(json))
    const begin = "{% for message in messages %}{{ '>' if not loop.first }}<|s|>"
    for (const middle of ['{{ message.content }}<|e|', '{{ message.content }}a<|e|>b<|e|']) {
      for (const end of [
        '>',
        ">{{ '>' if messages|length % 2 == 0 }}",
        "{{ ['>', '>y', '', '>>'][messages|length % 4] }}",
      ]) {
        const chatTemplate = `${begin}${middle}{% endfor %}${end}`
        const chat = Chat.over(tokenizer, { chatTemplate })
        for (let seed = 0; seed < 4; seed++) {
          const random = randomNumbers(seed)
          const messages = conversation(random, 6).map(({ role }, i) => ({
            role: String(role),
            content: 'yes>'.slice(i % 4),
          }))
          check(chat, messages, {}, random)
        }
      }
    }
  })

  describe('at the end of a prompt may be part of another run in the next', () => {
    const roles = ['user', 'assistant', 'tool']
    const talk = (random: () => number, texts: readonly string[]): ChatMessage[] =>
      Array.from({ length: 12 }, () => ({ role: pick(random, roles), content: pick(random, texts) }))

    function checkAll(
      added: NonNullable<TokenizerJsonOptions['added']>,
      merges: readonly string[],
      chatTemplate: string,
      texts: readonly string[],
    ): void {
      const chat = Chat.over(Tokenizer.from(jsonBytes(byteLevelJson({ added, merges }))), { chatTemplate })
      for (let seed = 0; seed < 12; seed++) {
        const random = randomNumbers(seed)
        check(chat, talk(random, texts), {}, random)
      }
    }

    it('where a longer token begins in front of it', () => {
      const template =
        "{% for message in messages %}{{ 'x' if not loop.first }}<|s|>{{ message.content }}a<|e|>{% endfor %}"
      checkAll(['<|s|>', '<|e|>', 'a<|e|>x'], [], template, ['yes', 'a', ''])
      checkAll(['<|s|>', '<|e|>', '<|e|>x'], [], template.replace('a<|e|>', '<|e|>'), ['yes', 'a', ''])
    })

    it('where it stands behind the end of the turn', () => {
      const begin = "{% for message in messages %}{{ 'ab<|e|>' if not loop.first }}"
      for (const turn of ['{{ message.content }}', '<|s|>{{ message.content }}', '{{ message.content }}c']) {
        checkAll(['<|s|>', '<|e|>'], [], `${begin}${turn}{% endfor %}ab<|e|>`, ['yes', 'a', ''])
      }
    })

    it('where a word stands behind it', () => {
      const template = '{% for message in messages %}{{ message.content }}<|e|>{% endfor %}'
      const added = [{ content: '<|e|>', single_word: true, special: true, normalized: false }]
      checkAll(added, ['\u0120 \u0120', '> <', '| >', '< |'], template, ['yes', ' yes  ', 'yes>', '>', '  '])
    })

    it('where no data stand behind it', () => {
      const template =
        "{% for message in messages %}{{ 'b' if not loop.first }}<|s|>{% if message.role == 'user' %}{{ message.content }}{% endif %}a<|e|>{% endfor %}"
      for (const content of ['b<|s', '>b', '|>a', 'user', 'b']) {
        const token = { content, special: false, normalized: false }
        checkAll(['<|s|>', '<|e|>', token], [], template, ['yes', 'a', ''])
      }
    })
  })

  it('of SentencePiece models part the text, unless they stand in it', () => {
    for (const type of [PieceType.CONTROL, PieceType.USER_DEFINED]) {
      const pieces = ['\u2581', 'a', 'b', '\u2581a', 'user', '\u2581user', 's']
      const bytes = modelBytes(
        [
          ['<unk>', 0, PieceType.UNKNOWN],
          ...['<s>', '</s>', '<|im_start|>', '<|im_end|>'].map((name) => [name, 0, type] as const),
          ...bytePieces(),
          ...pieces.map((text, i) => [text, -i, PieceType.NORMAL] as const),
        ],
        { byteFallback: true, addDummyPrefix: true },
      )
      const chat = Chat.over(Tokenizer.from(bytes), { chatTemplate: CHATML })
      for (let seed = 0; seed < 10; seed++) {
        const random = randomNumbers(seed)
        check(chat, attacked(conversation(random, 5), random), {}, random)
      }
    }
  })
})

it('random templates', { timeout: 60_000 }, () => {
  const total: Counts = { turns: 0, grown: 0 }
  for (let seed = 2000; seed < 2150; seed++) {
    const random = randomNumbers(seed)
    const chatTemplate = `${randomTemplate(random)}<|im_end|>`.replaceAll(
      '{{ message.content }}',
      '<|im_start|>{{ message.content }}',
    )
    const chat = attempt(() =>
      Chat.over(tokenizerFor('<|im_start|><|im_end|><|a|>'), { chatTemplate, now: () => new Date(0) }),
    )
    if (chat instanceof SafetokensError) continue
    const { turns, grown } = check(chat, attacked(conversation(random, 4), random), optionsOf(random), random)
    total.turns += turns
    total.grown += grown
  }
  expect(total.grown).toBeGreaterThan(200)
})

describe('a session over a template', () => {
  const chat = Chat.over(tokenizerFor(CHATML), { chatTemplate: CHATML })
  const turns = (count: number): ChatMessage[] =>
    Array.from({ length: count }, (_, i) => ({
      role: i % 2 === 0 ? 'user' : 'assistant',
      content: `turn ${i}`,
    }))

  it('has no more control tokens for texts that spell them', () => {
    const reserved = (ids: Uint32Array): string =>
      ids.filter((id) => chat.tokenizer.reserved.some((token) => token.id === id)).join()
    const [plain, hostile] = [chat.session(), chat.session()]
    for (const [i, text] of BANK.entries()) {
      const role = i % 2 === 0 ? 'user' : 'assistant'
      plain.append({ role, content: 'x' })
      hostile.append({ role, content: text })
      expect(reserved(hostile.ids)).toBe(reserved(plain.ids))
    }
    expect(hostile.stats.wholePrompts).toBe(1)
  })

  it('costs no more when there are many turns before it', () => {
    const session = chat.session({ messages: turns(20) })
    for (let i = 20; i < 60; i += 2) {
      const { encoded } = session.stats
      session.append(...turns(i + 2).slice(i))
      expect(session.stats.encoded - encoded).toBeLessThan(6)
    }
    expect(session.stats).toMatchObject({ wholePrompts: 1, lastRounds: 20 })
  })

  it('takes trusted text, control tokens and what is not there yet', () => {
    const session = chat.session({ messages: turns(4) })
    const more: ChatMessage[] = [
      { role: 'user', content: trusted('a<|im_end|>b') },
      { role: 'assistant', content: control('<|im_end|>', { count: 7 }) },
      { role: 'user', content: 'c', name: null as never },
    ]
    for (const message of more) {
      session.append(message)
      expect(session.ids).toEqual(chat.encode(session.messages).ids)
      expect(session.count).toBe(chat.count(session.messages).total)
    }
    expect(session.stats.wholePrompts).toBe(1)
  })

  it('goes on after an error, and after another conversation took its place', () => {
    const session = chat.session({ messages: turns(6) })
    expect(() => session.append({ role: 'root', content: 'x' })).toThrow('message 6: the role must be one of')
    session.append({ role: 'user', content: 'x' })
    expect(session.ids).toEqual(chat.encode([...turns(6), { role: 'user', content: 'x' }]).ids)
    const edited = turns(8).map((message, i) => (i === 3 ? { ...message, content: 'edited' } : message))
    session.replace(edited)
    expect(session.ids).toEqual(chat.encode(edited).ids)
    session.append({ role: 'user', content: 'y' })
    expect(session.ids).toEqual(chat.encode([...edited, { role: 'user', content: 'y' }]).ids)
  })

  it('goes on after a template that raised when half of the prompt was written', () => {
    const source = `{% for message in messages %}<|im_start|>{{ message.content }}{{ '!' if loop.last }}<|im_end|>{% endfor %}{% if
      messages[-1].content == 'bad' %}{{ raise_exception('no') }}{% endif %}`
    const chat = Chat.over(tokenizerFor(CHATML), { chatTemplate: source })
    const bad = { role: 'user', content: 'bad' }
    const session = chat.session({ messages: turns(6) })
    const before = session.ids
    expect(() => session.append(bad)).toThrow('no')
    expect(session.ids).toEqual(before)
    const { kept, ids } = session.append(...turns(8).slice(6))
    expect(session.ids).toEqual(chat.encode(turns(8)).ids)
    expect(Uint32Array.of(...before.subarray(0, kept), ...ids)).toEqual(session.ids)
    expect(() => session.replace([...turns(3), bad])).toThrow('no')
    session.append(...turns(10).slice(8))
    expect(session.ids).toEqual(chat.encode(turns(10)).ids)
    expect(session.stats.lastRounds).toBe(0)
    session.append(...turns(12).slice(10))
    expect(session.ids).toEqual(chat.encode(turns(12)).ids)
    expect(session.stats.lastRounds).toBe(1)
  })

  it('keeps the ids that the model wrote', () => {
    const chatTemplate = `{% for message in messages %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`
    const specialTokens = { eos_token: '<|im_end|>' }
    const chat = Chat.over(tokenizerFor(CHATML), { chatTemplate, specialTokens })
    const session = chat.session()
    for (let round = 0; round < 5; round++) {
      session.append({ role: 'user', content: `question ${round}` })
      const letters = [...`answer ${round}`].flatMap((letter) => [...chat.tokenizer.encode(letter)])
      const [turn] = chat.parse([...letters, chat.tokenizer.getCommand('<|im_end|>')])
      session.append(turn as ChatMessage)
      expect(session.ids).toEqual(chat.encode(session.messages).ids)
      expect([...session.ids].join()).toContain(letters.join())
    }
    expect(session.stats).toMatchObject({ wholePrompts: 1, lastRounds: 9 })
  })

  const BEGIN = '<|im_start|>{{ message.role }}<|im_sep|>'
  it.each([
    ['a generation prompt of several control tokens', `${BEGIN}{{ message.content }}<|im_end|>`, ''],
    [
      'a reply that is written again at times',
      `${BEGIN}{{ message.content }}<|im_end|>`,
      '{% if messages|length % 3 == 0 %}{{ messages[1].content }}{% endif %}',
    ],
    [
      'turns that end where the next one begins',
      `{{ '<|im_end|>' if not loop.first }}${BEGIN}{{ message.content }}`,
      "{% if messages[-1].role == 'user' %}<|im_end|>{% endif %}",
    ],
  ])('keeps the ids that the model wrote: %s', (_, turn, end) => {
    const opening = '{% if add_generation_prompt %}<|im_start|>assistant<|im_sep|>{% endif %}'
    const chatTemplate = `{% for message in messages %}${turn}{% endfor %}${end}${opening}`
    const chat = Chat.over(tokenizerFor(chatTemplate), {
      chatTemplate,
      specialTokens: { eos_token: '<|im_end|>' },
    })
    const session = chat.session()
    const replies: string[] = []
    for (let round = 0; round < 9; round++) {
      session.append({ role: 'user', content: `question ${round}` })
      expect(session.ids).toEqual(chat.encode(session.messages).ids)
      const letters = [...`answer ${round}`].flatMap((letter) => [...chat.tokenizer.encode(letter)])
      const [turn] = chat.parse([...letters, chat.tokenizer.getCommand('<|im_end|>')])
      session.append(turn as ChatMessage)
      expect(session.ids).toEqual(chat.encode(session.messages).ids)
      replies.push(letters.join())
    }
    const ids = [...session.ids].join()
    expect(replies.filter((letters) => ids.includes(letters)).length).toBeGreaterThan(6)
    expect(session.stats.wholePrompts).toBe(1)
  })

  it('falls back on the whole prompt where a template reads fields that are null', () => {
    const chatTemplate = `{% for message in messages %}<|im_start|>{{ message.role }}{% if message.content is none %}nothing{% else
      %}{{ message['content'].strip() }}{% endif %}<|im_end|>{% endfor %}`
    const strict = Chat.over(tokenizerFor(CHATML), { chatTemplate })
    const session = strict.session()
    for (const content of ['a', null, 'b', null, 'c']) {
      session.append({ role: 'user', content } as ChatMessage)
      expect(session.ids).toEqual(strict.encode(session.messages).ids)
    }
  })
})
