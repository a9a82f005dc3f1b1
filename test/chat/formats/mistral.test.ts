// Mistral's formats have the ids of mistral-common 1.13.1. Golden files are made by scripts/golden-chats.py.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ChatMessage } from '../../../src/chat/messages.js'
import type { EncodeChatOptions } from '../../../src/chat/prompt-maker.js'
import { InvalidArgumentError, InvalidMessageError } from '../../../src/errors.js'
import { control } from '../../../src/prompt/parts.js'
import {
  CONVERSATIONS,
  type EncoderGolden,
  MissingData,
  readEncoderGolden,
  readPair,
} from '../../conformance/chat-pair-files.js'
import { CHAT_PAIRS, type ChatPair } from '../../conformance/chat-pairs.js'
import { sharedFile } from '../../conformance/shared-files.js'
import { assistantTexts } from './assistant-text.js'
import { chatOf, idsOf, resultsOf } from './encoder-golden.js'
import { formatChat } from './format-chat.js'

const sentencePiece = (name: string) => () => sharedFile('data', 'spm', name)
/** PyPI mistral-common has it: SAFETOKENS_MISTRAL_DATA is `mistral_common/data` of an installation. */
const tekken = (name: string) => () => {
  const folder = process.env.SAFETOKENS_MISTRAL_DATA
  const file = folder && path.join(folder, name)
  return file && existsSync(file) ? file : undefined
}

const VERSIONS = [
  { version: 'v1', format: 'mistral-v1', file: sentencePiece('mistral_v1.tokenizer.model') },
  { version: 'v2', format: 'mistral-v2', file: sentencePiece('mistral_instruct_240216.model.v2') },
  { version: 'v3', format: 'mistral-v3', file: sentencePiece('mistral_v3.tokenizer.model') },
  { version: 'v7', format: 'mistral-v7', file: sentencePiece('mistral_instruct_241114.model.v7') },
  { version: 'v3-tekken', format: 'mistral-v3-tekken', file: tekken('tekken_240718.json') },
  { version: 'v3-tekken-images', format: 'mistral-v3-tekken', file: tekken('tekken_240911.json') },
  { version: 'v7-tekken', format: 'mistral-v7-tekken', file: tekken('tekken_240718.json') },
]

const ENDINGS: Readonly<Record<string, EncodeChatOptions>> = {
  plain: { addGenerationPrompt: false },
  prompt: {},
  continue: { continueFinalMessage: true },
}

/** The reference refuses reasoning; the formats leave it out, as all do whose prompts have no place for it. */
const hasReasoning = (messages: readonly object[]) =>
  messages.some((message) => 'reasoning_content' in message)

describe.each(VERSIONS)('mistral-common $version', ({ version, format, file }) => {
  const golden = readEncoderGolden(`mistral-common-${version}`) as EncoderGolden

  it('has the ids of the reference, or refuses what it refuses', ({ skip }) => {
    const found = file()
    if (found === undefined) return skip('there is no tokenizer file')
    const bytes = readFileSync(found)
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(golden.tokenizer.sha256)
    const chat = chatOf(bytes, format)
    let same = 0
    for (const [id, ending, result] of resultsOf(golden)) {
      const { messages, tools } = CONVERSATIONS.find(
        (each) => each.id === id,
      ) as (typeof CONVERSATIONS)[number]
      // The reference's v1 loses tools; the format refuses them.
      const options = { ...ENDINGS[ending], ...(version === 'v1' ? {} : { tools }) }
      const ours = idsOf(chat, messages, options)
      if ('ids' in result) {
        expect(ours, `${id}, ${ending}`).toEqual(result.ids)
        same++
      } else if (!hasReasoning(messages)) {
        expect(ours, `${id}, ${ending}: ${result.error}`).toBeUndefined()
      }
    }
    expect(same).toBeGreaterThan(55)
  })
})

describe('over a tokenizer.json', () => {
  // Hugging Face's Metaspace adds no space before a text that has one.
  const BEGIN_WITH_A_SPACE = ['spaces', 'newline-only', 'tabs', 'results']

  it.for(VERSIONS.slice(0, 4))('$version has the same ids', ({ version, format }, { skip }) => {
    const files = readPair(CHAT_PAIRS.find(({ name }) => name === format) as ChatPair)
    if (files instanceof MissingData) return skip(`there is no ${files.what}`)
    const chat = chatOf(files.files['tokenizer.json'] as Uint8Array, format)
    const golden = readEncoderGolden(`mistral-common-${version}`) as EncoderGolden
    for (const [id, ending, result] of resultsOf(golden)) {
      if ('error' in result || BEGIN_WITH_A_SPACE.includes(id)) continue
      const conversation = CONVERSATIONS.find((each) => each.id === id)
      const options = { ...ENDINGS[ending], ...(version === 'v1' ? {} : { tools: conversation?.tools }) }
      expect(idsOf(chat, conversation?.messages ?? [], options), `${id}, ${ending}`).toEqual(result.ids)
    }
  })
})

describe('the samples of its older tests', () => {
  const folder = sharedFile('data', 'peer-tests', 'mistral-common', 'samples')
  it.for(VERSIONS.slice(0, 3))('have the same ids in $version', ({ version, format, file }, { skip }) => {
    const found = file()
    if (folder === undefined || found === undefined) return skip('../shared is absent')
    const chat = chatOf(readFileSync(found), format)
    const samples = readdirSync(folder).filter((name) =>
      existsSync(path.join(folder, name, `tokens_${version}.json`)),
    )
    // 1.13.1 refuses two results at once in v2, which it wrote as one list then.
    for (const name of samples.filter((each) => version !== 'v2' || each !== 'parallel_calls')) {
      const read = (file: string) => JSON.parse(readFileSync(path.join(folder, name, file), 'utf8'))
      const { messages, tools } = read('sample.json')
      const options = tools.length > 0 ? { tools } : {}
      expect([...chat.encode(messages, options).ids], name).toEqual(read(`tokens_${version}.json`).tokens)
    }
    expect(samples.length).toBe(version === 'v1' ? 1 : 6)
  })
})

describe('what Mistral formats write', () => {
  const call = (name: string, args: unknown, id?: string) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  })
  const tools = [{ type: 'function', function: { name: 'add', strict: true } }]
  const chat: ChatMessage[] = [
    { role: 'system', content: 'S' },
    { role: 'user', content: 'a' },
    { role: 'assistant', tool_calls: [call('add', '{"x": [1.0, NaN]}', 'call00001')] },
    { role: 'tool', content: '{"sum":1.50}', tool_call_id: 'call00001', name: 'add' },
    { role: 'assistant', content: 'b ' },
    { role: 'user', content: ['c', 'd'] },
  ]
  const listed = '[{"type": "function", "function": {"name": "add", "description": "", "parameters": {}}}]'
  const called = '[{"name": "add", "arguments": {"x": [1.0, NaN]}'
  const render = (format: string, messages = chat) => formatChat(format).render(messages, { tools })

  it('leaves calls before the last question out in v2', () => {
    expect(render('mistral-v2')).toBe(
      `<s>[INST]a[/INST]b</s>[AVAILABLE_TOOLS]${listed}[/AVAILABLE_TOOLS][INST]S\n\nc\n\nd[/INST]`,
    )
    expect(render('mistral-v2', chat.slice(0, 5))).toBe(
      `<s>[AVAILABLE_TOOLS]${listed}[/AVAILABLE_TOOLS][INST]S\n\na[/INST][TOOL_CALLS]${called}}]</s>` +
        '[TOOL_RESULTS][{"name": "add", "content": {"sum": 1.5}}][/TOOL_RESULTS]b</s>',
    )
  })

  it.each(['mistral-v3', 'mistral-v3-tekken'])('has ids of calls in %s', (format) => {
    expect(render(format)).toBe(
      `<s>[INST]a[/INST][TOOL_CALLS]${called}, "id": "call00001"}]</s>` +
        '[TOOL_RESULTS]{"content": {"sum": 1.5}, "call_id": "call00001"}[/TOOL_RESULTS]b</s>' +
        `[AVAILABLE_TOOLS]${listed}[/AVAILABLE_TOOLS][INST]S\n\nc\n\nd[/INST]`,
    )
  })

  it.each(['mistral-v7', 'mistral-v7-tekken'])('has system turns and plain results in %s', (format) => {
    expect(render(format)).toBe(
      `<s>[SYSTEM_PROMPT]S[/SYSTEM_PROMPT][INST]a[/INST][TOOL_CALLS]${called}, "id": "call00001"}]</s>` +
        '[TOOL_RESULTS]call00001[TOOL_CONTENT]{"sum":1.50}[/TOOL_RESULTS]b</s>' +
        `[AVAILABLE_TOOLS]${listed}[/AVAILABLE_TOOLS][INST]c\n\nd[/INST]`,
    )
  })

  it('tells what the model itself writes', () => {
    expect(assistantTexts('mistral-v3', chat.slice(1, 5))).toEqual([
      `[TOOL_CALLS]${called}, "id": "call00001"}]</s>`,
      'b</s>',
    ])
    expect(assistantTexts('mistral-v1', [...chat.slice(0, 2), { role: 'assistant', content: 'b ' }])).toEqual(
      ['b </s>'],
    )
  })

  it('encodes texts around images by themselves', ({ skip }) => {
    const file = tekken('tekken_240911.json')()
    if (file === undefined) return skip('there is no tekken.json')
    const content = (...texts: string[]) => [
      texts[0],
      control('[IMG]'),
      control('[IMG_END]'),
      ...texts.slice(1),
    ]
    const chat = chatOf(readFileSync(file), 'mistral-v3-tekken')
    const encode = (parts: unknown[]) => {
      const user = { role: 'user', content: parts as never }
      return [...chat.encode([{ role: 'system', content: 'Be\n' }, user]).ids]
    }
    expect(encode(content('x', 'y'))).toEqual([1, 3, 5934, 4688, 1120, 10, 13, 1121, 4])
    expect(encode(content('', 'a', ' b'))).toEqual([1, 3, 5934, 4688, 10, 13, 1097, 1267, 1289, 4])
  })
})

describe('what Mistral formats refuse', () => {
  const user = { role: 'user', content: 'a' }
  const answer = { role: 'assistant', content: 'b' }
  const call = (id?: string, name = 'f') => ({
    role: 'assistant',
    tool_calls: [{ id, type: 'function', function: { name, arguments: '{}' } }],
  })
  const result = (id?: string, more = {}) => ({ role: 'tool', content: 'c', tool_call_id: id, ...more })
  const cases: [format: string, rule: string, messages: ChatMessage[], options?: EncodeChatOptions][] = [
    ['mistral-v1', 'empty', [user, { role: 'assistant', content: '' }]],
    ['mistral-v3', 'empty', [user, { role: 'assistant', content: [''] }]],
    ['mistral-v7', 'empty', [user, { role: 'assistant', content: '' }]],
    ['mistral-v3', 'tool-calls', [user, { ...answer, ...call('call00001') }]],
    ['mistral-v3', 'tool-calls', [user, answer, call('call00001')]],
    ['mistral-v3', 'tool-call-id', [user, call('call_1'), result('call_1')]],
    ['mistral-v3', 'tool-call-id', [user, call(), result('call00001')]],
    ['mistral-v7', 'tool-call-id', [user, call('call00001'), result()]],
    ['mistral-v2', 'name', [user, call(undefined, 'a.b')]],
    ['mistral-v2', 'name', [user, call(), result(undefined, { name: 'a.b' })]],
    ['mistral-v2', 'tool-results', [user, call(), result(), result()]],
    ['mistral-v2', 'content', [user, call(), { ...result(), content: control('[IMG]') }]],
    ['mistral-v3', 'system-after-assistant', [user, answer, { role: 'system', content: 's' }, user]],
    ['mistral-v3', 'tool-after-user', [user, result('call00001')]],
    ['mistral-v3', 'tool-first', [result('call00001'), answer]],
    ['mistral-v3', 'assistant-first', [answer]],
  ]

  it.each(cases)('%s: %s, %j', (format, rule, messages, options) => {
    const chat = formatChat(format)
    expect(() => chat.encode(messages, options)).toThrow(InvalidMessageError)
    expect(() => chat.encode(messages, options)).toThrow(expect.objectContaining({ rule }))
  })

  it('refuses tools that it cannot write', () => {
    const encode =
      (tools: unknown, messages = [user]) =>
      () =>
        formatChat('mistral-v7').encode(messages, { tools })
    expect(encode([{ type: 'function', function: { name: 'a.b' } }])).toThrow(InvalidArgumentError)
    expect(encode([{ type: 'function', function: { name: 'a b' } }])).toThrow(InvalidArgumentError)
    expect(encode([{ type: 'function' }])).toThrow('tools[0]: ')
    expect(encode([{ type: 'python', function: { name: 'f' } }])).toThrow('tools[0]: ')
    expect(encode([{ function: { name: 'f', parameters: [] } }])).toThrow('tools[0]: ')
    expect(encode({})).toThrow('a list of tool definitions')
    const system = { role: 'system', content: 's' }
    expect(encode([{ function: { name: 'f' } }], [system])).toThrow('there is none')
    expect(encode([], [system])).not.toThrow()
    expect(() => formatChat('mistral-v1').encode([user], { tools: [] })).toThrow('no place')
  })

  it('continues an answer only', () => {
    const chat = formatChat('mistral-v3')
    expect(() => chat.encode([user], { continueFinalMessage: true })).toThrow(InvalidArgumentError)
    expect(chat.render([user, answer], { continueFinalMessage: true })).toBe('<s>[INST]a[/INST]b')
  })

  it('allows the last call to lack an id', () => {
    expect(formatChat('mistral-v3').render([user, call()])).toBe(
      '<s>[INST]a[/INST][TOOL_CALLS][{"name": "f", "arguments": {}}]</s>',
    )
  })
})
