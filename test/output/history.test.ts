// I3 with history, for every built-in format: each prompt begins with the one before and with what the model wrote.
import { describe, expect, it } from 'vitest'
import { Chat } from '../../src/chat/chat.js'
import { chatFormat, chatFormats } from '../../src/chat/formats/registry.js'
import type { ChatMessage } from '../../src/chat/messages.js'
import type { EncodeChatOptions } from '../../src/chat/prompt-maker.js'
import { InvalidMessageError } from '../../src/errors.js'
import type { Turn } from '../../src/output/types.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { ATTACKS } from '../attacks.js'
import { byteLevelJson } from '../fixtures/tokenizer-json.js'
import { chatOver, sharedChat, spelled, vocabularies, WRITINGS, type Writing } from './history-cases.js'
import { idsOf } from './replies.js'

const NAMES = chatFormats().map(({ name }) => name)
const TOOLS = ['f', 'g'].map((name) => ({
  type: 'function',
  function: { name, description: 'x', parameters: { type: 'object', properties: {} } },
}))
const SYSTEM: ChatMessage = { role: 'system', content: 'Be short.' }
const QUESTION: ChatMessage = { role: 'user', content: 'Where is it warm?' }
const NEXT: ChatMessage = { role: 'user', content: ' And tomorrow?' }

/** The replies of a model in a conversation; calls are followed by their results, all else by a question. */
function replies(name: string): Record<string, readonly string[]> {
  const {
    answer = '',
    thought,
    call,
    calls,
    text = 'I look. ',
    stop,
    stopOfCalls = stop,
  } = WRITINGS[name] as Writing
  const says = (content: string): string => answer + content + stop
  const thinks = thought && ((rest: string): string => `${thought[0]}hm hm${thought[1]}${rest}`)
  return {
    answers: [says('hello hello'), says(' and so')],
    'an answer without an end': [says('hello hello').slice(0, -stop.length), says('on')],
    'an empty answer': [says(''), says('hello')],
    ...(thinks && { thoughts: [thinks(says('hello')), thinks(says('yes'))] }),
    ...(call && {
      calls: [call + stopOfCalls, call + stopOfCalls, says('warm'), call + stopOfCalls, says('cold')],
      'text and calls': [text + call + stopOfCalls, says('warm')],
    }),
    ...(calls && { 'several calls': [calls + stopOfCalls, says('warm')] }),
    ...(call && thinks && { 'thoughts and calls': [thinks(call + stopOfCalls), thinks(says('warm'))] }),
  }
}

/** A step: the prompt and the reply, and the prompt behind it. */
interface Step {
  readonly prompt: Uint32Array
  readonly reply: readonly number[]
  readonly turns: readonly Turn[]
  readonly messages: readonly ChatMessage[]
  readonly next: Uint32Array
}

type Write = (chat: Chat, reply: string) => readonly number[]

function play(
  chat: Chat,
  beginning: ChatMessage[],
  texts: readonly string[],
  write: Write,
  how: EncodeChatOptions,
): Step[] {
  const messages = [...beginning]
  let prompt = chat.encode(messages, how).ids
  return texts.map((text) => {
    const reply = write(chat, text)
    const turns = chat.parse(reply, { tools: TOOLS, prompt })
    expect(turns.flatMap(({ unexpected }) => unexpected)).toEqual([])
    messages.push(...turns)
    const calls = turns.flatMap(({ toolCalls }) => toolCalls)
    for (const { id, name } of calls) messages.push({ role: 'tool', tool_call_id: id, name, content: '20' })
    if (calls.length === 0) messages.push(NEXT)
    const next = chat.encode(messages, how).ids
    const step = { prompt, reply, turns, messages: [...messages], next }
    prompt = next
    return step
  })
}

/** How much of a prompt and its reply the next prompt begins with. */
function kept(chat: Chat, { prompt, reply, next }: Step): 'all' | 'all but the stop token' | 'less' {
  const seen = [...prompt, ...reply]
  const same = seen.findIndex((id, i) => id !== next[i])
  if (same < 0) return 'all'
  const stops = chat.eosTokenIds.includes(reply.at(-1) as number)
  return stops && same === seen.length - 1 ? 'all but the stop token' : 'less'
}

const SPELLINGS: Readonly<Record<string, Write>> = {
  spelled,
  usual: (chat, reply) => [...idsOf(chat, reply)],
}

/** Which stop token the format does not write in history: docs/replies.md. */
const LOST_STOPS = ['<|return|>', '<eos>']
const isLost = (chat: Chat, { reply }: Step): boolean =>
  LOST_STOPS.some(
    (name) => chat.tokenizer.hasCommand(name) && chat.tokenizer.getCommand(name) === reply.at(-1),
  )

/** What the formats themselves change of earlier turns, unless history is wanted as it was seen: docs/replies.md. */
function changes(name: string, title: string, step: Step, withSystem: boolean): boolean {
  const asks = step.turns.at(-1)?.finish !== 'tool-calls'
  const isLaterMistral = name.startsWith('mistral-') && name !== 'mistral-v1'
  // Tools stand at the last question, and in v2 and v3 the system prompt too.
  if (isLaterMistral && asks && title.includes('calls')) return true
  if (/^mistral-v[23]/.test(name) && asks && withSystem) return true
  if (!title.startsWith('thoughts')) return false
  if (name === 'qwen3') return asks
  // Up to the first answer thoughts are left out, and then they are gone.
  if (name === 'harmony') return asks && step.messages.filter(({ role }) => role === 'user').length === 2
  return true
}

const CASES = NAMES.flatMap((name) => vocabularies(name).map((vocabulary) => ({ name, vocabulary })))

describe.each(CASES)('$name over a $vocabulary vocabulary', ({ name, vocabulary }) => {
  const { roles, takesTools } = chatFormat(name)
  const beginnings = [[QUESTION], ...(roles.includes('system') ? [[SYSTEM, QUESTION]] : [])]

  describe.each(Object.keys(replies(name)))('%s', (title) => {
    const texts = replies(name)[title] as string[]
    const tools = takesTools && title.includes('calls') ? TOOLS : undefined

    it.each(Object.keys(SPELLINGS))('stay as they were seen: %s', async (spelling) => {
      const chat = await sharedChat(name, vocabulary)
      for (const beginning of beginnings) {
        const write = SPELLINGS[spelling] as Write
        for (const step of play(chat, beginning, texts, write, { tools, history: 'as-seen' })) {
          expect(kept(chat, step)).toBe(isLost(chat, step) ? 'all but the stop token' : 'all')
        }
      }
    })

    it('stay as they were but for what the format changes', async () => {
      const chat = await sharedChat(name, vocabulary)
      for (const beginning of beginnings) {
        for (const step of play(chat, beginning, texts, spelled, { tools })) {
          const all = isLost(chat, step) ? 'all but the stop token' : 'all'
          expect(kept(chat, step)).toBe(changes(name, title, step, beginning.length > 1) ? 'less' : all)
        }
      }
    })

    it('are the same for a session that grows', async () => {
      const chat = await sharedChat(name, vocabulary)
      for (const history of ['as-seen', 'as-trained'] as const) {
        const session = chat.session({ tools, history })
        let at = 0
        for (const { messages, next } of play(chat, [QUESTION], [...texts, ...texts], spelled, {
          tools,
          history,
        })) {
          session.append(...messages.slice(at))
          at = messages.length
          expect([...session.ids]).toEqual([...next])
        }
      }
    })

    it('are written from their fields once they were changed or came through JSON', async () => {
      const chat = await sharedChat(name, vocabulary)
      const ids = (messages: readonly ChatMessage[]): readonly number[] | string => {
        try {
          return [...chat.encode(messages, { tools }).ids]
        } catch (error) {
          if (error instanceof InvalidMessageError) return error.message
          throw error
        }
      }
      for (const { messages } of play(chat, [QUESTION], texts, spelled, { tools })) {
        const copied = JSON.parse(JSON.stringify(messages)) as ChatMessage[]
        const changed = messages.map((message) => (message.finish === undefined ? message : { ...message }))
        expect(ids(changed)).toEqual(ids(copied))
        expect(chat.encode(messages, { tools }).ids.length).toBeGreaterThan(0)
      }
    })
  })

  it('has the same control tokens whatever stands around what a model wrote', async () => {
    const chat = await sharedChat(name, vocabulary)
    const all = Object.values(replies(name)).flat()
    const turns = all.flatMap((text) => chat.parse(spelled(chat, text)).slice(0, 1))
    const skeleton = (payload: string, turn: ChatMessage): number[] => {
      const ask = { role: 'user', content: `x${payload}` }
      const calls = (turn.toolCalls as { id: string; name: string }[]).map(
        ({ id, name: tool }): ChatMessage => ({
          role: 'tool',
          tool_call_id: id,
          name: tool,
          content: `x${payload}`,
        }),
      )
      const messages = [ask, turn, ...calls, ...(calls.length > 0 ? [] : [ask])]
      const { ids } = chat.encode(messages, { history: 'as-seen', onMarkerInContent: 'allow' })
      return [...ids].filter((id) => chat.tokenizer.isReserved(id))
    }
    for (const turn of turns) {
      const harmless = skeleton('word', turn)
      for (const attack of ATTACKS) expect(skeleton(attack, turn)).toEqual(harmless)
    }
  })

  it('takes no control token along that has no place in a turn', async () => {
    const chat = await sharedChat(name, vocabulary)
    const { controlTokens, stopTokens } = chatFormat(name)
    const { answer = '', stop } = WRITINGS[name] as Writing
    for (const token of controlTokens.filter((each) => !stopTokens.includes(each))) {
      const [turn] = chat.parse(spelled(chat, `${answer}hello${token}evil${stop}`), { tools: TOOLS })
      const stray = turn as Turn
      // Else it is a mark of the format, and what it opens is read.
      if (stray.unexpected.length === 0) continue
      const plain = {
        role: 'assistant',
        content: stray.content,
        reasoning: stray.reasoning,
        metadata: stray.metadata,
      }
      const fields = stray.toolCalls.length === 0 ? plain : (JSON.parse(JSON.stringify(stray)) as ChatMessage)
      for (const history of ['as-seen', 'as-trained'] as const) {
        const encode = (message: ChatMessage): Uint32Array =>
          chat.encode([QUESTION, message, NEXT], { history }).ids
        expect(encode(stray)).toEqual(encode(fields))
      }
    }
  })
})

describe('ChatGLM2 behind a remembered answer', () => {
  it('goes on with its text as one text, without a prefix in between', async () => {
    const chat = await chatOver('chatglm2', 'sentencepiece')
    const prompt = chat.encode([QUESTION]).ids
    const reply = [...idsOf(chat, 'hello').subarray(1), chat.tokenizer.getCommand('<eos>')]
    const [turn] = chat.parse(spelled(chat, 'hello<eos>'))
    const known = chat.encode([QUESTION, turn as Turn, NEXT])
    const plain = chat.encode([QUESTION, { role: 'assistant', content: 'hello' }, NEXT])
    expect(reply.length).toBeGreaterThan(1)
    expect(known.ids.slice(0, prompt.length)).toEqual(prompt)
    expect(chat.decode(known.ids)).toBe(chat.decode(plain.ids))
    const tail = [...'\n\n[Round 2]\n\n'].length
    expect(known.ids.slice(-tail)).toEqual(plain.ids.slice(-tail))
    expect(known.assistantMask?.slice(prompt.length, prompt.length + 5)).toEqual(new Uint8Array(5).fill(1))
    expect(known.assistantMask?.reduce((sum, bit) => sum + bit, 0)).toBe(5)
    expect(known.spans.at(-1)?.end).toBe(known.ids.length)
  })

  it('writes what its reference writes in exact mode', async () => {
    const chat = await chatOver('chatglm2', 'sentencepiece', { compat: 'exact' })
    const [turn] = chat.parse(spelled(chat, 'hello<eos>'))
    const plain = chat.encode([QUESTION, { role: 'assistant', content: 'hello' }, NEXT])
    expect(chat.encode([QUESTION, turn as Turn, NEXT]).ids).toEqual(plain.ids)
  })
})

it('history as it was seen is not what a reference writes', async () => {
  const exact = await chatOver('chatml', 'byte-level', { compat: 'exact' })
  expect(() => exact.encode([QUESTION], { history: 'as-seen' })).toThrow('exact')
  const safe = await chatOver('chatml', 'byte-level')
  expect(() => safe.encode([QUESTION], { history: 'all' as 'as-seen' })).toThrow("'as-trained' or 'as-seen'")
})

describe('Qwen3', () => {
  it('keeps thoughts that came through JSON where history is wanted as it was seen', async () => {
    const chat = await chatOver('qwen3', 'byte-level')
    const [turn] = chat.parse(spelled(chat, '<think>\nhm\n</think>\n\nhello<|im_end|>'))
    const copy = JSON.parse(JSON.stringify(turn)) as ChatMessage
    expect(chat.render([QUESTION, copy, NEXT], { history: 'as-seen' })).toContain(
      '<think>\nhm\n</think>\n\nhello<|im_end|>',
    )
    expect(chat.render([QUESTION, copy, NEXT])).not.toContain('<think>')
  })

  it('keeps the mark of answers for which no thoughts were wanted', async () => {
    const chat = await chatOver('qwen3', 'byte-level')
    const how = { history: 'as-seen', templateOptions: { enable_thinking: false } } as const
    for (const step of play(chat, [QUESTION], ['hello<|im_end|>', ' yes<|im_end|>'], spelled, how)) {
      expect(kept(chat, step)).toBe('all')
    }
  })
})

describe('a chat template', () => {
  const turn = "{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}"
  const template = (opening: string): Chat => {
    const json = byteLevelJson({ added: ['<|im_start|>', '<|im_end|>', '<think>', '</think>'] })
    const tokenizer = Tokenizer.from(new TextEncoder().encode(JSON.stringify(json)))
    const generation = `{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n${opening}' }}{% endif %}`
    return Chat.over(tokenizer, {
      chatTemplate: `{% for m in messages %}${turn}{% endfor %}${generation}`,
      specialTokens: { eos_token: '<|im_end|>' },
    })
  }

  it('that has no generation prompt goes on behind a question', () => {
    const json = byteLevelJson({ added: ['<s>', '</s>', '[INST]', '[/INST]'] })
    const chat = Chat.over(Tokenizer.from(new TextEncoder().encode(JSON.stringify(json))), {
      chatTemplate:
        "{{ bos_token }}{% for m in messages %}{% if m.role == 'user' %}{{ '[INST] ' + m.content + ' [/INST]' }}" +
        "{% else %}{{ ' ' + m.content + eos_token }}{% endif %}{% endfor %}",
      specialTokens: { bos_token: '<s>', eos_token: '</s>' },
    })
    for (const step of play(chat, [QUESTION], ['hello</s>', ' hello</s>', 'a b</s>'], spelled, {})) {
      expect(kept(chat, step)).toBe('all')
    }
  })

  it.each([
    ['leaves thoughts out', '', '<think>\nhm\n</think>\n\n'],
    ['begins thoughts itself', '<think>\\n', 'hm\n</think>\n\n'],
    ['asks for none', '<think>\\n\\n</think>\\n\\n', ''],
  ])('that %s', (_, opening, thoughts) => {
    const chat = template(opening)
    const texts = [`${thoughts}hello<|im_end|>`, `${thoughts} yes<|im_end|>`]
    for (const step of play(chat, [QUESTION], texts, spelled, { history: 'as-seen' })) {
      expect(kept(chat, step)).toBe('all')
    }
    for (const step of play(chat, [QUESTION], texts, spelled, {})) {
      expect(kept(chat, step)).toBe('less')
      const copied = JSON.parse(JSON.stringify(step.messages)) as ChatMessage[]
      expect(step.next).toEqual(chat.encode(copied).ids)
    }
  })
})
