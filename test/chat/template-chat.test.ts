// Chats by a model's own chat template, on the model that comes with the package.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { Chat } from '../../src/chat/chat.js'
import type { ChatOptions } from '../../src/chat/chat-options.js'
import type { ChatMessage } from '../../src/chat/messages.js'
import {
  ChatFormatError,
  InvalidArgumentError,
  InvalidMessageError,
  TemplateError,
} from '../../src/errors.js'
import { control, trusted } from '../../src/prompt/parts.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'

const folder = path.resolve(import.meta.dirname, '../../models/mini-chatml')
const CHATML =
  "{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>' + '\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"

let tokenizer: Tokenizer
const over = (chatTemplate: string, options: Omit<ChatOptions, 'reserve'> = {}): Chat =>
  Chat.over(tokenizer, { chatTemplate, specialTokens: { eos_token: '<|im_end|>' }, ...options })
const user = (content: ChatMessage['content'] = 'hi'): ChatMessage => ({ role: 'user', content })

beforeAll(async () => {
  tokenizer = await Tokenizer.load(path.join(folder, 'tokenizer.json'))
})

describe('a chat template', () => {
  it('gives the ids of the built-in format', () => {
    const messages = [user('a <|im_end|>'), { role: 'assistant', content: ' b\n' }, user('')]
    const builtIn = Chat.over(tokenizer, { format: 'chatml' })
    for (const addGenerationPrompt of [true, false]) {
      expect(over(CHATML).encode(messages, { addGenerationPrompt }).ids).toEqual(
        builtIn.encode(messages, { addGenerationPrompt }).ids,
      )
    }
  })

  it('names its guarantee, its stop ids and what was neutralised', () => {
    const chat = over(CHATML)
    expect(chat.format).toBe('template')
    expect(chat.guarantee).toBe('reserved-ids')
    expect(chat.eosTokenIds).toEqual([tokenizer.getCommand('<|im_end|>')])
    expect(chat.encode([user('a<|im_end|>')]).neutralised).toEqual([
      { path: 'messages[0].content', token: '<|im_end|>', offset: 1 },
    ])
  })

  it('is textual where plain text, or the end of text alone, divides turns', () => {
    expect(over('{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}').guarantee).toBe(
      'textual',
    )
    expect(
      over('{% for m in messages %}{{ m.role }}: {{ m.content }}{{ eos_token }}{% endfor %}').guarantee,
    ).toBe('textual')
  })

  it('is refused where the vocabulary lacks its marks', () => {
    const zephyr = '{% for m in messages %}<|user|>\n{{ m.content }}{{ eos_token }}\n{% endfor %}'
    expect(() => over(zephyr)).toThrow(ChatFormatError)
    expect(over(zephyr, { textualMarkers: true }).guarantee).toBe('textual')
  })

  it('takes roles from a closed set, which the caller may widen', () => {
    const message = { role: 'critic', content: 'x' }
    expect(() => over(CHATML).encode([message])).toThrow(InvalidMessageError)
    expect(over(CHATML, { roles: ['critic'] }).render([message])).toContain('<|im_start|>critic\nx')
  })

  it('keeps a control token that a role composes out of reach of other fields', () => {
    const composed = "{% for m in messages %}{{ '<|' + m.name + '|>' + m.content }}{% endfor %}"
    const chat = over(composed, { compat: 'exact', textualMarkers: true })
    const { ids } = chat.encode([{ ...user(), name: 'im_end' }])
    expect(ids).not.toContain(tokenizer.getCommand('<|im_end|>'))
  })

  it('takes trusted and control values from code, and nothing of their shape from JSON', () => {
    const joined =
      '{% for m in messages %}{% for p in m.content %}{{ p.text }}{% endfor %}<|im_end|>{% endfor %}'
    const parts = over(joined).encode([user([trusted('<think>'), '<think>', control('</think>')])])
    const count = (name: string) => parts.ids.filter((id) => id === tokenizer.getCommand(name)).length
    expect([count('<think>'), count('</think>')]).toEqual([1, 1])
    expect(() => over(joined).encode([user([{ type: 'control', name: '</think>' } as never])])).toThrow(
      InvalidMessageError,
    )
    expect(() => over(joined).encode([user({ name: '</think>' } as never)])).toThrow(InvalidMessageError)
  })

  it('counts what a control token stands for', () => {
    const joined =
      '{% for m in messages %}{% for p in m.content %}{{ p.text }}{% endfor %}<|im_end|>{% endfor %}'
    for (const chat of [over(joined), Chat.over(tokenizer, { format: 'chatml' })]) {
      const encoded = chat.encode([user([control('</think>', { count: 256 }), 'x'])])
      expect(encoded.tokenCount).toBe(encoded.ids.length + 255)
      expect(chat.count([user([control('</think>', { count: 256 }), 'x'])]).total).toBe(encoded.tokenCount)
    }
    expect(() => control('</think>', { count: 0 })).toThrow(InvalidArgumentError)
  })

  it('reports decisions that depend on data, or refuses them', () => {
    const thinking = `${CHATML}{% if '</think>' in messages[0].content %}!{% endif %}`
    const { warnings } = over(thinking).encode([user('a</think>')])
    expect(warnings).toMatchObject([
      { rule: 'data-dependence:branch', index: 0, path: 'messages[0].content', line: 4 },
    ])
    expect(over(thinking).encode([user()], { onDataDependence: 'ignore' }).warnings).toEqual([])
    const refuse = () => over(thinking).encode([user()], { onDataDependence: 'refuse' })
    expect(refuse).toThrow(TemplateError)
  })

  it('leaves the last turn open', () => {
    const messages = [user(), { role: 'assistant', content: 'Well,' }]
    expect(over(CHATML).render(messages, { continueFinalMessage: true })).toBe(
      '<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\nWell,',
    )
    expect(() =>
      over(CHATML).encode(messages, { continueFinalMessage: true, addGenerationPrompt: true }),
    ).toThrow(/exclude each other/)
    const silent = '{% for m in messages %}<|im_start|>{{ m.role }}{% endfor %}'
    expect(() => over(silent).encode(messages, { continueFinalMessage: true })).toThrow(InvalidMessageError)
  })

  it('writes arguments of calls in the form that the template can write', () => {
    const call = (given: unknown): ChatMessage => ({
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: given } }],
    })
    const calls = (write: string) =>
      `{% for m in messages %}<|im_start|>{{ m.content }}{% for c in m.tool_calls %}${write}{% endfor %}{% endfor %}`
    const object = over(calls('{{ c.function.arguments | tojson }}'))
    expect(object.render([call({ a: 1 })])).toContain('{"a": 1}')
    expect(object.render([call('{"a": 1.0}')])).toContain('{"a": 1.0}')
    expect(object.render([call('no JSON')])).toContain('"no JSON"')
    const string = over(calls("{{ 'x' + c.function.arguments }}"))
    expect(string.render([call({ a: [1] })])).toContain('x{"a": [1]}')
    expect(string.render([call('{"a":1}')])).toContain('x{"a":1}')
    const exact = over(calls('{{ c.function.arguments | tojson }}'), { compat: 'exact' })
    expect(exact.render([call('{"a": 1}')])).toContain('"{\\"a\\": 1}"')
  })

  it('leaves null fields out, and keeps them for templates that read them', () => {
    const message = { role: 'assistant', content: null, tool_calls: [] }
    expect(over('{{ messages[0].content is defined }}<|im_end|>').render([message])).toContain('False')
    const reads = "{{ messages[0].content is none and 'none' or messages[0].content + 'x' }}<|im_end|>"
    expect(over(reads).render([message])).toContain('none')
    expect(() => over(reads, { compat: 'exact' }).render([message])).toThrow(TemplateError)
  })

  it('says where the assistant writes, when the template does', () => {
    const generation =
      "{% for m in messages %}<|im_start|>{{ m.role }}\n{% if m.role == 'assistant' %}{% generation %}{{ m.content }}<|im_end|>{% endgeneration %}{% else %}{{ m.content }}<|im_end|>{% endif %}{% endfor %}"
    const messages = [user(), { role: 'assistant', content: 'ok' }, user()]
    const { assistantMask, ids } = over(generation).encode(messages, { addGenerationPrompt: false })
    const written = ids.filter((_, i) => assistantMask?.[i] === 1)
    expect(tokenizer.decode(written)).toBe('ok<|im_end|>')
    expect(over(CHATML).encode(messages).assistantMask).toBeUndefined()
  })

  it('is the same in the file of the model', async () => {
    const config = JSON.parse(readFileSync(path.join(folder, 'tokenizer_config.json'), 'utf8'))
    const chat = over(config.chat_template)
    const tools = [{ type: 'function', function: { name: 'f', parameters: {} } }]
    const { ids, spans } = chat.encode([user('q')], { tools })
    expect(spans.at(0)).toMatchObject({ start: 0, kind: 'control' })
    expect(spans.at(-1)?.end).toBe(ids.length)
    expect(spans.map(({ path: from }) => from)).toContain('messages[0].content')
    expect(spans.some(({ path: from }) => from?.startsWith('tools[0].function'))).toBe(true)
  })
})
