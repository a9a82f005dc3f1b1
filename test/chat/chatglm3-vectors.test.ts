// Ids made by ChatGLM3's own code, and ids that other projects published for it.
import { readFileSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { Chat } from '../../src/chat/chat.js'
import type { ChatMessage } from '../../src/chat/messages.js'
import { jsonText, pythonJsonDumps } from '../../src/chat/python-json.js'
import { InvalidTokenIdError, UnknownControlTokenError } from '../../src/errors.js'
import { trusted } from '../../src/prompt/parts.js'
import { describeShared, sharedFile } from '../conformance/shared.js'

const PREFIX = [64790, 64792]

describeShared('ChatGLM3 reference vectors', () => {
  const vectors = read('reference_vectors.json')
  let chat: Chat
  beforeAll(async () => {
    chat = await loadChat()
  })

  it.each(cases(vectors.encode))('encodes %j', (_, { text, ids, pieces, call }) => {
    const encoded = chat.tokenizer.encode(text)
    expect([...encoded]).toEqual(ids)
    expect(Array.from(encoded, (id) => chat.tokenizer.idToToken(id))).toEqual(pieces)
    expect([...chat.encodeText(text).inputIds]).toEqual(call)
    expect(chat.tokenizer.count(text)).toBe(ids.length)
  })

  it.each(cases(vectors.encode_special_tokens))(
    'encodes %j with special tokens',
    (_, { text, call, tokens }) => {
      const { inputIds } = chat.encodeText(trusted(text), { encodeSpecialTokens: true })
      expect([...inputIds]).toEqual(call)
      expect(Array.from(inputIds.slice(2), (id) => chat.tokenizer.idToToken(id))).toEqual(tokens)
    },
  )

  it.each(cases(vectors.build_chat_input))('builds the chat input of case %i', (_, vector) => {
    const { inputIds, attentionMask, positionIds } = chat.buildChatInput(
      vector.query,
      vector.history,
      vector.role,
    )
    expect([...inputIds]).toEqual(vector.input_ids)
    expect([...attentionMask]).toEqual(vector.input_ids.map(() => 1))
    expect([...positionIds]).toEqual(vector.input_ids.map((_: number, i: number) => i))
    expect(chat.decode(inputIds)).toBe(vector.decode)
  })

  it('builds or refuses the single messages of the edge cases', () => {
    for (const [[role, metadata, content], outcome] of vectors.build_single_message_edge) {
      if (role === 'build_chat_input(1)') {
        expect(() => chat.buildChatInput(1 as never)).toThrow('content must be a string')
        continue
      }
      const messages = [{ role, metadata, content }]
      if (typeof outcome === 'string') {
        expect(() => chat.encode(messages)).toThrow('the role must be one of')
      } else {
        const { ids } = chat.encode(messages, { addGenerationPrompt: false })
        expect([...ids]).toEqual([...PREFIX, ...outcome])
      }
    }
  })

  it.each(Object.entries(vectors.get_command))('names the command %s', (name, outcome) => {
    if (typeof outcome === 'number') {
      expect(chat.tokenizer.getCommand(name)).toBe(outcome)
    } else {
      expect(() => chat.tokenizer.getCommand(name)).toThrow(UnknownControlTokenError)
    }
  })

  it.each(cases(vectors.decode))('decodes %j', (_, { ids, hf_decode, sp_decode, tokens }) => {
    expect(chat.decode(ids)).toBe(hf_decode)
    if (typeof sp_decode === 'string') {
      expect(chat.decode(ids, { rules: 'sentencepiece' })).toBe(sp_decode)
    } else {
      expect(() => chat.decode(ids, { rules: 'sentencepiece' })).toThrow(InvalidTokenIdError)
    }
    // `convert_id_to_token` has no name for bos, eos, unk and what lies outside.
    const names = ids.map((id: number) => (id < 3 ? '' : (chat.tokenizer.idToToken(id) ?? '')))
    expect(names).toEqual(tokens)
  })

  it.each(cases(vectors.pad))('pads case %i', (_, vector) => {
    const { texts, padding, max_length, truncation, pad_to_multiple_of } = vector
    const options = { maxLength: max_length, truncation, padToMultipleOf: pad_to_multiple_of }
    if (padding === undefined) {
      const rows = texts.map((text: string) => chat.encodeText(text, options))
      expect(rows.map((row: { inputIds: Uint32Array }) => [...row.inputIds])).toEqual(vector.input_ids)
      expect(rows.map((row: { positionIds: Uint32Array }) => [...row.positionIds])).toEqual(
        vector.position_ids,
      )
      return
    }
    const batch = chat.encodeTexts(texts, { ...options, padding: padding === true ? 'longest' : padding })
    expect(batch.shape).toEqual([texts.length, vector.input_ids[0].length])
    expect([...batch.inputIds]).toEqual(vector.input_ids.flat())
    expect([...batch.attentionMask]).toEqual(vector.attention_mask.flat())
    expect([...batch.positionIds]).toEqual(vector.position_ids.flat())
  })

  it('builds a pair', () => {
    const { text, pair, input_ids } = vectors.pair
    expect([...chat.encodeText(text, { pair }).inputIds]).toEqual(input_ids)
  })

  it('knows the stop ids', () => {
    expect(chat.eosTokenIds).toEqual([2, 64795, 64797])
  })
})

describeShared('vectors that other projects published', () => {
  const published = read('published_vectors.json').cases.filter(
    (vector: { verified?: boolean }) => vector.verified,
  )
  const of = (model: string) => cases(published.filter((vector: { model: string }) => vector.model === model))
  let chat: Chat
  let chatglm2: Chat
  let codegeex2: Chat
  beforeAll(async () => {
    chat = await loadChat()
    const file = (name: string) => sharedFile(`data/${name}/tokenizer.model`) as string
    chatglm2 = await Chat.load(file('chatglm3'), { format: 'chatglm2' })
    codegeex2 = await Chat.load(file('codegeex2'), { format: 'codegeex2' })
  })

  it.each(of('chatglm3'))('chatglm3 case %s', (_, { kind, input, ids }) => {
    switch (kind) {
      case 'encode_with_prefix':
        return expect([...chat.encodeText(input.text).inputIds]).toEqual(ids)
      case 'encode_with_prefix_encode_special_tokens':
        return expect([
          ...chat.encodeText(trusted(input.text), { encodeSpecialTokens: true }).inputIds,
        ]).toEqual(ids)
      case 'chat':
        return expect([...chat.encode(input.messages).ids]).toEqual(ids)
      case 'decode':
        return expect(chat.decode(input.ids)).toBe(
          published.find((v: { kind: string }) => v.kind === kind).text,
        )
      case 'finetune_multiturn': {
        const encoded = chat.encode(finetuneMessages(input), { addGenerationPrompt: false })
        return expect([...encoded.ids, chat.tokenizer.getCommand('<eos>')]).toEqual(ids)
      }
    }
    throw new Error(`unknown kind ${kind}`)
  })

  it.each(of('chatglm2'))('chatglm2 case %s', (_, { input, ids }) => {
    expect([...chatglm2.encodeText(input.text).inputIds]).toEqual(ids)
    // The same prompt as a conversation, where the text is one.
    const rounds = [...input.text.matchAll(/\[Round \d+\]\n\n问：(.*?)\n\n答：(.*?)(?=\n\n\[Round|$)/gs)]
    const messages = rounds.flatMap(([, question = '', answer = '']) => [
      { role: 'user', content: question },
      ...(answer === '' ? [] : [{ role: 'assistant', content: answer }]),
    ])
    if (messages.length > 0) expect([...chatglm2.encode(messages).ids]).toEqual(ids)
  })

  it.each(of('codegeex2'))('codegeex2 case %s', (_, { input, ids }) => {
    expect([...codegeex2.encodeText(input.text).inputIds]).toEqual(ids)
  })

  it.each(of('chatglm3_no_dummy_prefix'))('no dummy prefix, case %s', (_, { input, ids }) => {
    expect([...codegeex2.tokenizer.encode(input.text)]).toEqual(ids)
  })
})

describeShared('the sample conversations of PROMPT.md', () => {
  it.each(cases(read('prompt_samples.json').samples))('sample %s', async (_, { messages, input_ids }) => {
    const chat = await loadChat()
    expect([...chat.encode(messages).ids]).toEqual(input_ids)
  })
})

/** The reference's own behaviour; the safe mode is tested in chatglm3.test.ts. */
function loadChat(): Promise<Chat> {
  return Chat.load(sharedFile('data/chatglm3/tokenizer.model') as string, {
    format: 'chatglm3',
    compat: 'exact',
  })
}

// biome-ignore lint/suspicious/noExplicitAny: the vectors are data from outside, each test reads what it needs
function read(name: string): any {
  const file = sharedFile('data/chatglm3', name)
  if (file === undefined) return new Proxy({}, { get: () => [] })
  const text = readFileSync(file, 'utf8')
  const data = JSON.parse(text)
  // JSON.parse takes 1.0 for 1; the one case with such a tool is read again without loss.
  for (const { history } of data.build_chat_input ?? []) {
    for (const message of history ?? []) {
      if (message.tools?.a?.n === 1)
        message.tools = jsonText('{"a": {"n": 1.0, "b": true, "c": null, "d": "é\\"\\\\\\n"}}')
    }
  }
  return data
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function cases(list: any[]): [unknown, any][] {
  return list.map((vector, i) => [vector.text ?? vector.ids ?? vector.name ?? i, vector])
}

/** How the finetune demo turns its training format into turns: tools as compact JSON, calls as fenced Python. */
// biome-ignore lint/suspicious/noExplicitAny: as above
function finetuneMessages({ tools, conversations }: any): ChatMessage[] {
  const prompt = 'Answer the following questions as best as you can. You have access to the following tools:'
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const turns = conversations.flatMap((turn: any) =>
    turn.role === 'tool'
      ? [
          { role: 'assistant', metadata: turn.name, content: '```python\ntool_call()\n```' },
          { role: 'observation', content: turn.observation },
        ]
      : [turn],
  )
  return [{ role: 'system', content: `${prompt}\n${pythonJsonDumps(tools)}` }, ...turns]
}
