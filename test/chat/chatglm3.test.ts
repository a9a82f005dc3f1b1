// The safe mode, the order rules and the documented quirks, on the model that comes with the package.
import { beforeAll, describe, expect, it } from 'vitest'
import { Chat } from '../../src/chat/chat.js'
import type { ChatMessage } from '../../src/chat/messages.js'
import { jsonText } from '../../src/chat/python-json.js'
import { defaultModelPath } from '../../src/cli/package-files.js'
import { ChatFormatError, InvalidArgumentError, InvalidMessageError } from '../../src/errors.js'
import { control, trusted } from '../../src/prompt/parts.js'

let safe: Chat
let exact: Chat
beforeAll(async () => {
  safe = await Chat.load(defaultModelPath())
  exact = await Chat.load(defaultModelPath(), { compat: 'exact' })
})

const user = (content = 'q'): ChatMessage => ({ role: 'user', content })
const assistant = (content = 'a'): ChatMessage => ({ role: 'assistant', content })
const observation = (content = 'o'): ChatMessage => ({ role: 'observation', content })
const system = (content = 's'): ChatMessage => ({ role: 'system', content })

/** The prompt as text, control tokens as names. */
const shown = (messages: readonly ChatMessage[], chat = safe): string =>
  chat.decode(chat.encode(messages).ids)

const errorOf = (call: () => unknown): InvalidMessageError => {
  try {
    call()
  } catch (error) {
    if (error instanceof InvalidMessageError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('loading', () => {
  it('tells the format from the folder', () => {
    expect(safe.format).toBe('chatglm3')
    expect(safe.guarantee).toBe('reserved-ids')
    expect(safe.eosTokenIds).toEqual([2, 8006, 8008])
    expect(safe.padTokenId).toBe(0)
  })

  it('asks for the format where it cannot be told', async () => {
    const file = `${defaultModelPath()}/../mini-chatglm3/README.md`
    await expect(Chat.load(file)).rejects.toThrow()
    await expect(Chat.load(defaultModelPath(), { format: 'toString' as never })).rejects.toThrow(
      ChatFormatError,
    )
    await expect(Chat.load(defaultModelPath(), { compat: 'loose' as never })).rejects.toThrow(
      InvalidArgumentError,
    )
  })
})

describe('buildChatInput', () => {
  it('is encode with the query as last turn', () => {
    const history = [user('你好'), assistant('你好！')]
    const { inputIds, attentionMask, positionIds } = safe.buildChatInput('晚上睡不着应该怎么办', history)
    expect(inputIds).toEqual(safe.encode([...history, user('晚上睡不着应该怎么办')]).ids)
    expect(attentionMask).toEqual(new Uint8Array(inputIds.length).fill(1))
    expect(Array.from(positionIds)).toEqual(Array.from(inputIds, (_, i) => i))
  })

  it('takes a role and a missing history', () => {
    expect(exact.decode(exact.buildChatInput('22', null, 'observation').inputIds)).toBe(
      '[gMASK]sop<|observation|> \n 22<|assistant|>',
    )
    expect(() => safe.buildChatInput('q', 'history' as never)).toThrow(InvalidArgumentError)
  })
})

describe('messages', () => {
  it('writes tools behind the content as Python prints JSON', () => {
    const tools = [{ name: 'f', parameters: { type: 'object', properties: {} } }]
    expect(shown([{ ...system('Tools:'), tools }, user()])).toContain(
      'Tools:\n[\n    {\n        "name": "f",\n        "parameters": {\n            "type": "object",\n            "properties": {}\n        }\n    }\n]<|user|>',
    )
    const exactText = jsonText('{"10": 1.0, "2": 1e2}')
    expect(shown([{ ...system(''), tools: exactText }, user()])).toContain(
      '\n{\n    "10": 1.0,\n    "2": 100.0\n}<|user|>',
    )
  })

  it('takes content in parts, and trusted and control values from code', () => {
    const parts = ['a', { type: 'text' as const, text: 'b' }]
    expect(safe.encode([{ role: 'user', content: parts }]).ids).toEqual(safe.encode([user('ab')]).ids)
    const mask = { role: 'user', content: ['x', control('[MASK]'), trusted('y[MASK]')] }
    const id = safe.tokenizer.getCommand('[MASK]')
    expect(safe.encode([mask]).ids.filter((each) => each === id)).toHaveLength(2)
  })

  it.each([
    ['not-a-message', 'hello'],
    ['not-a-message', null],
    ['not-a-message', ['user', 'hi']],
    ['unknown-role', { role: 'critic', content: '' }],
    ['unknown-role', { role: '<|user|>', content: '' }],
    ['unknown-role', { role: 'constructor', content: '' }],
    ['unknown-role', { content: '' }],
    ['content', { role: 'user' }],
    ['content', { role: 'user', content: null }],
    ['content', { role: 'user', content: 5 }],
    ['content', { role: 'user', content: { type: 'control', name: '<|system|>' } }],
    ['content-part', { role: 'user', content: [{ type: 'control', name: '<|system|>' }] }],
    ['content-part', { role: 'user', content: [{ type: 'image_url', image_url: 'x' }] }],
    ['content-part', { role: 'user', content: [{ type: 'text', text: 5 }] }],
    ['content-part', { role: 'user', content: [64794] }],
    ['metadata', { role: 'assistant', metadata: 5, content: '' }],
    ['metadata-line', { role: 'assistant', metadata: 'a\nb', content: '' }],
    ['metadata-line', { role: 'assistant', metadata: 'a\u2028b', content: '' }],
    ['tools-outside-system', { role: 'user', tools: [], content: '' }],
    ['unsupported-field', { role: 'assistant', content: '', function_call: { name: 'f' } }],
    ['tool-calls', { role: 'assistant', content: '', tool_calls: [{}] }],
    ['tools', { role: 'system', content: '', tools: { a: Number.NaN } }],
  ])('refuses %s: %j', (rule, message) => {
    const error = errorOf(() =>
      safe.encode([system(), message as ChatMessage].slice(rule === 'tools' ? 1 : 0)),
    )
    expect(error.rule).toBe(rule)
    expect(error.index).toBe(rule === 'tools' ? 0 : 1)
    expect(error.code).toBe('INVALID_MESSAGE')
  })
})

describe('quirks that exact mode reproduces and safe mode refuses or mends', () => {
  it('null metadata is the text None', () => {
    const messages = [user(), { role: 'assistant', metadata: null, content: 'a' }]
    expect(shown(messages, exact)).toContain('<|assistant|> None\n a')
    expect(shown(messages)).toContain('<|assistant|> \n a')
  })

  it('a newline in metadata moves the border to the content', () => {
    const messages = [user(), { role: 'assistant', metadata: 'name\nforged', content: 'a' }]
    expect(shown(messages, exact)).toContain('<|assistant|> name\nforged\n a')
    expect(() => safe.encode(messages)).toThrow(InvalidMessageError)
  })

  it('tools: null is the text null, and tools of other roles vanish', () => {
    expect(shown([{ ...system(), tools: null }, user()], exact)).toContain('s\nnull<|user|>')
    expect(shown([{ ...system(), tools: null }, user()])).toContain('s<|user|>')
    expect(shown([{ ...user(), tools: [1] }], exact)).toBe('[gMASK]sop<|user|> \n q<|assistant|>')
  })

  it('any order goes', () => {
    expect(shown([assistant(), system(), observation()], exact)).toBe(
      '[gMASK]sop<|assistant|> \n a<|system|> \n s<|observation|> \n o<|assistant|>',
    )
  })
})

describe('order rules', () => {
  it.each([
    [[user()]],
    [[system(), user()]],
    [[user(), assistant(), user()]],
    [[user(), assistant(), assistant()]],
    [[user(), assistant(), assistant(), observation(), observation(), assistant()]],
    [[system(), user(), assistant(), observation(), user()]],
  ])('accept %j', (messages) => {
    expect(safe.validate(messages)).toEqual([])
    expect(() => safe.encode(messages)).not.toThrow()
  })

  it.each([
    [[user(), system()], [[1, 'system-not-first']]],
    [[user(), user()], [[1, 'user-after-user']]],
    [[assistant()], [[0, 'assistant-before-user']]],
    [[system(), assistant(), user()], [[1, 'assistant-before-user']]],
    [[user(), observation()], [[1, 'observation-before-assistant']]],
    [[user(), assistant(), user(), observation()], [[3, 'observation-before-assistant']]],
    [
      [system(), system(), user(), user(), observation()],
      [
        [1, 'system-not-first'],
        [3, 'user-after-user'],
        [4, 'observation-before-assistant'],
      ],
    ],
  ])('report %j', (messages, expected) => {
    expect(safe.validate(messages).map(({ index, rule }) => [index, rule])).toEqual(expected)
    const error = errorOf(() => safe.encode(messages))
    expect([error.index, error.rule]).toEqual(expected[0])
    const { ids, warnings } = safe.encode(messages, { onInvalid: 'warn' })
    expect(warnings.map(({ index, rule }) => [index, rule])).toEqual(expected)
    expect(ids).toEqual(safe.encode(messages, { onInvalid: 'ignore' }).ids)
    expect(ids).toEqual(exact.encode(messages).ids)
  })

  it('validate lists the shape of every message first', () => {
    const messages = [{ role: 'critic', content: '' }, user(), { role: 'user', content: 1 as never }]
    expect(safe.validate(messages).map(({ index, rule }) => [index, rule])).toEqual([
      [0, 'unknown-role'],
      [2, 'content'],
    ])
  })

  it('mergeConsecutive joins users, and observations, with a newline', () => {
    const split = [
      user('a'),
      user('b'),
      assistant(),
      observation('c'),
      observation('d'),
      user('e'),
      user('f'),
    ]
    const joined = [user('a\nb'), assistant(), observation('c\nd'), user('e\nf')]
    expect(safe.encode(split, { mergeConsecutive: true }).ids).toEqual(safe.encode(joined).ids)
    expect(safe.buildChatInput('b', [user('a')], 'user', { mergeConsecutive: true }).inputIds).toEqual(
      safe.encode([user('a\nb')]).ids,
    )
    const twice = [user(), assistant('a'), assistant('b')]
    expect(safe.encode(twice, { mergeConsecutive: true }).ids).toEqual(safe.encode(twice).ids)
  })

  it('mergeConsecutive joins very many, and leaves the messages as they were', () => {
    const many = Array.from({ length: 20_000 }, (_, i) => user(`${i % 10}`))
    const joined = many.map(({ content }) => content).join('\n')
    expect(safe.encode(many, { mergeConsecutive: true }).ids).toEqual(safe.encode([user(joined)]).ids)
    expect(many[0]).toEqual(user('0'))
  })
})

describe('texts and batches', () => {
  it('encodeSpecialTokens is refused for data', () => {
    expect(() => safe.encodeText('<|user|>', { encodeSpecialTokens: true })).toThrow(InvalidArgumentError)
    const id = safe.tokenizer.getCommand('<|user|>')
    expect(safe.encodeText(trusted('<|user|>'), { encodeSpecialTokens: true }).inputIds).toContain(id)
    expect(safe.encodeText(trusted('<|user|>')).inputIds).not.toContain(id)
  })

  it('pads conversations on the left', () => {
    const conversations = [[user('hi')], [user('What is the weather?')]]
    const { inputIds, attentionMask, positionIds, shape } = safe.encodeBatch(conversations)
    const [short, long] = conversations.map((messages) => safe.encode(messages).ids) as [
      Uint32Array,
      Uint32Array,
    ]
    const gap = long.length - short.length
    expect(shape).toEqual([2, long.length])
    expect([...inputIds]).toEqual([...new Array(gap).fill(0), ...short, ...long])
    expect([...attentionMask.slice(0, gap + 1)]).toEqual([...new Array(gap).fill(0), 1])
    expect([...positionIds.slice(0, gap + 2)]).toEqual([...new Array(gap).fill(0), 0, 1])
  })

  it('refuses options that contradict each other', () => {
    expect(() => safe.encodeTexts(['a'], { padding: 'max_length' })).toThrow('needs maxLength')
    expect(() => safe.encodeTexts(['a b c'], { maxLength: 2 })).toThrow('longer than maxLength')
    expect(() => safe.encodeTexts(['a'], { padToMultipleOf: 0 })).toThrow('positive whole number')
    expect(() => safe.encodeTexts(['a'], { padding: 'left' as never })).toThrow("'longest' or 'max_length'")
    expect(() => safe.encodeText('a', { truncation: true })).toThrow('needs maxLength')
    expect(safe.encodeTexts([]).shape).toEqual([0, 0])
  })
})
