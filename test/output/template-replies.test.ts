// Golden conversations: what models' own templates write of calls is read as the same calls, and no ids drift.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { Chat } from '../../src/chat/chat.js'
import type { ChatMessage } from '../../src/chat/messages.js'
import { trusted } from '../../src/prompt/parts.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { sharedFile } from '../conformance/shared-files.js'
import { byteLevelJson } from '../fixtures/tokenizer-json.js'

interface TemplateCase {
  readonly file: readonly [folder: string, name: string]
  readonly protocol: string
  readonly added: readonly string[]
  readonly bos?: string
  readonly eos: string
  /** The form of arguments that the template takes. Ids of calls are nine letters, as Mistral wants. */
  readonly one?: boolean
  readonly text?: string | null
  /** Where the template itself writes another prompt for history than for an answer. */
  readonly drifts?: string
}

const CHATML = ['<|im_start|>', '<|im_end|>', '<|endoftext|>']
const THINK = ['<think>', '</think>']
const TOOL_CALL = ['<tool_call>', '</tool_call>', '<tool_response>', '</tool_response>']
const GLM = [
  '[gMASK]',
  '<sop>',
  '<|system|>',
  '<|user|>',
  '<|assistant|>',
  '<|observation|>',
  '<|endoftext|>',
]
const ARGS = ['<arg_key>', '</arg_key>', '<arg_value>', '</arg_value>']
const DEEPSEEK = [
  '<｜begin▁of▁sentence｜>',
  '<｜end▁of▁sentence｜>',
  '<｜User｜>',
  '<｜Assistant｜>',
  ...['calls', 'call', 'outputs', 'output'].flatMap((what) => [
    `<｜tool▁${what}▁begin｜>`,
    `<｜tool▁${what}▁end｜>`,
  ]),
  '<｜tool▁sep｜>',
]
const MISTRAL = [
  ...['[INST]', '[/INST]', '[AVAILABLE_TOOLS]', '[/AVAILABLE_TOOLS]', '[TOOL_RESULTS]', '[/TOOL_RESULTS]'],
  ...['[TOOL_CALLS]', '[ARGS]', '[CALL_ID]', '[TOOL_CONTENT]', '[SYSTEM_PROMPT]', '[/SYSTEM_PROMPT]'],
  ...['<s>', '</s>', '[THINK]', '[/THINK]'],
]
const LLAMA = [
  '<|begin_of_text|>',
  '<|start_header_id|>',
  '<|end_header_id|>',
  '<|eot_id|>',
  '<|eom_id|>',
  '<|python_tag|>',
]

const CASES: readonly TemplateCase[] = [
  {
    file: ['hfjs-jinja-e2e', 'Qwen_Qwen3-0.6B.jinja'],
    protocol: 'hermes',
    added: [...CHATML, ...THINK, ...TOOL_CALL],
    eos: '<|im_end|>',
  },
  {
    file: ['hfjs-jinja-e2e', 'Qwen_Qwen2.5-7B-Instruct.jinja'],
    protocol: 'hermes',
    added: [...CHATML, ...TOOL_CALL],
    eos: '<|im_end|>',
  },
  {
    file: ['hfjs-jinja-e2e', 'NousResearch_Hermes-2-Pro-Llama-3-8B_JSON_Schema.jinja'],
    protocol: 'hermes',
    added: CHATML,
    bos: '<|begin_of_text|>',
    eos: '<|im_end|>',
    one: true, // the template forgets the mark in front of a second call
    text: '',
  },
  {
    file: ['hfjs-jinja-e2e', 'Qwen_Qwen3.5-4B.jinja'],
    protocol: 'qwen3-coder',
    added: [...CHATML, ...THINK, ...TOOL_CALL],
    eos: '<|im_end|>',
  },
  {
    file: ['minja', 'Qwen-Qwen3-Coder-30B-A3B-Instruct.jinja'],
    protocol: 'qwen3-coder',
    added: [...CHATML, ...TOOL_CALL],
    eos: '<|im_end|>',
  },
  {
    file: ['hfjs-jinja-e2e', 'zai-org_GLM-5.1.jinja'],
    protocol: 'glm45',
    added: [...GLM, ...THINK, ...TOOL_CALL, ...ARGS],
    eos: '<|observation|>',
  },
  {
    file: ['hfjs-jinja-e2e', 'meta-llama_Llama-3.1-8B-Instruct.jinja'],
    protocol: 'llama3',
    added: LLAMA,
    bos: '<|begin_of_text|>',
    eos: '<|eot_id|>',
    one: true,
    text: '',
  },
  {
    file: ['hfjs-ollama-utils', 'library_deepseek-v3.1_latest.jinja'],
    protocol: 'deepseek',
    added: [...DEEPSEEK, ...THINK],
    bos: '<｜begin▁of▁sentence｜>',
    eos: '<｜end▁of▁sentence｜>',
  },
  {
    file: ['mistral-common', 'v3.jinja'],
    protocol: 'mistral',
    added: MISTRAL,
    bos: '<s>',
    eos: '</s>',
    text: '',
  },
  { file: ['mistral-common', 'v7.jinja'], protocol: 'mistral', added: MISTRAL, bos: '<s>', eos: '</s>' },
  { file: ['mistral-common', 'v11.jinja'], protocol: 'mistral', added: MISTRAL, bos: '<s>', eos: '</s>' },
  { file: ['mistral-common', 'v13.jinja'], protocol: 'mistral', added: MISTRAL, bos: '<s>', eos: '</s>' },
]

const FIRST = { city: '北京 "x" 👋\n', days: [1, -2.5, { a: null, b: [true] }], n: 5 }
const tools = ['f', 'g'].map((name) => ({
  type: 'function',
  function: {
    name,
    description: 'x',
    parameters: { type: 'object', properties: { city: { type: 'string' }, n: { type: 'integer' } } },
  },
}))

describe.each(CASES)(
  '$file.1',
  ({ file: [folder, name], protocol, added, bos, eos, one, text = 'I look.' }) => {
    const file = sharedFile('data', 'templates', folder, name)
    if (file === undefined) {
      it.skip('needs ../shared', () => undefined)
      return
    }
    const all = [...new Set([...added, ...(bos === undefined ? [] : [bos]), eos])]
    const json = byteLevelJson({ added: all })
    const chat = Chat.over(Tokenizer.from(new TextEncoder().encode(JSON.stringify(json))), {
      chatTemplate: readFileSync(file, 'utf8'),
      specialTokens: { eos_token: eos, ...(bos === undefined ? {} : { bos_token: bos }) },
      now: () => new Date(0),
    })
    const user: ChatMessage = { role: 'user', content: 'Where is it warm?' }
    const call = (id: string, tool: string, args: object) => ({
      id,
      type: 'function',
      function: { name: tool, arguments: args },
    })
    // Mistral's templates quote the marks of their own JSON where arguments are an object.
    const given = (args: object) => (protocol === 'mistral' ? JSON.stringify(args) : args)
    const calls = [call('call00000', 'f', FIRST), call('call00001', 'g', {})].slice(0, one ? 1 : 2)
    const prompt = chat.encode([user], { tools }).ids

    it('is read as the calls that it wrote', () => {
      expect(chat.toolProtocol).toBe(protocol)
      const toolCalls = calls.map((each) => ({
        ...each,
        function: { ...each.function, arguments: given(each.function.arguments) },
      }))
      const written = chat.encode([user, { role: 'assistant', content: text, tool_calls: toolCalls }], {
        tools,
        addGenerationPrompt: false,
      }).ids
      const shared = prompt.findIndex((id, i) => id !== written[i])
      // Templates may write a prompt that ends otherwise than the history goes on.
      const begin = shared < 0 ? prompt.length : shared
      expect(begin).toBeGreaterThan(prompt.length - 12)
      const [turn, ...others] = chat.parse(written.slice(begin), { tools })
      expect(others).toEqual([])
      expect(
        turn?.toolCalls.map(({ name: tool, arguments: args, error }) => ({ tool, args, error })),
      ).toEqual(
        calls.map(({ function: { name: tool, arguments: args } }) => ({ tool, args, error: undefined })),
      )
      expect(turn?.content.trim()).toBe(text)
      expect(turn?.unexpected.filter(({ name: mark }) => mark !== '</think>')).toEqual([])
    })

    it('keeps an answer that no encoder would write', () => {
      // Mistral's templates move tools to the last question.
      const how = protocol === 'mistral' ? {} : { tools }
      const opening = chat
        .render([user], how)
        .slice(chat.render([user], { ...how, addGenerationPrompt: false }).length)
      const reply = [
        ...[...'hello hello'].flatMap((char) => [...chat.tokenizer.encode(char)]),
        chat.tokenizer.getCommand(eos),
      ]
      const [turn] = chat.parse(reply)
      const after = chat.encode([user, turn as ChatMessage, user], how)
      const seen = [...chat.encode([user], how).ids, ...reply]
      const kept = seen.every((id, i) => after.ids[i] === id)
      const fresh = chat.encode([user, { role: 'assistant', content: 'hello hello' }, user], how)
      if (!kept) expect(after.ids).toEqual(fresh.ids)
      // Those that write thoughts or stop otherwise in history.
      const exceptions = /^(zai|Qwen_Qwen3\.5)/
      expect([name, kept, opening === '']).toEqual([name, !exceptions.test(name), /^v\d+/.test(name)])
      expect(after.neutralised).toEqual([])
    })

    it('keeps thoughts where history is wanted as it was seen', () => {
      const how = { tools, history: 'as-seen' } as const
      const thinks = chat.tokenizer.hasCommand('</think>')
      const { ids } = chat.encode([user], how)
      const given = thinks && ids.includes(chat.tokenizer.getCommand('<think>'))
      const thoughts = thinks ? `${given ? '' : '<think>\n'}hm\n</think>\n\n` : ''
      const reply = [...chat.tokenizer.encode(trusted(`${thoughts}hello${eos}`))]
      const [turn] = chat.parse(reply, { prompt: ids })
      const after = chat.encode([user, turn as ChatMessage, user], how).ids
      const kept = [...ids, ...reply].every((id, i) => after[i] === id)
      // Those that move tools to the last question, and one in which no stop token ends an answer.
      expect([name, kept]).toEqual([name, !/^(v3|v7|v11|zai)/.test(name)])
    })
  },
)
