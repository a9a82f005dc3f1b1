import { Chat } from '../../src/chat/chat.js'
import type { ParseOptions } from '../../src/output/types.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { formatChat } from '../chat/formats/format-chat.js'
import { byteLevelJson } from '../fixtures/tokenizer-json.js'

/** A reply, written with the names of control tokens, and what it says. */
export interface ProtocolCase {
  readonly title: string
  readonly protocol: string
  readonly chat: () => Chat
  readonly reply: string
  readonly turns: readonly object[]
  readonly options?: ParseOptions
}

/** A chat whose model has exactly these control tokens, besides its format's. */
export function protocolChat(toolProtocol: string, added: readonly string[] = []): Chat {
  const json = byteLevelJson({ added: ['<|im_start|>', '<|im_end|>', ...added] })
  const tokenizer = Tokenizer.from(new TextEncoder().encode(JSON.stringify(json)))
  return Chat.over(tokenizer, { format: 'chatml', toolProtocol })
}

const ARGUMENTS =
  '{"city": "北京 \\"x\\" 👋", "days": [1, -2.5, {"a": null, "b": [true, false]}], "__proto__": {"x": 1}}'
const VALUES: Readonly<Record<string, unknown>> = JSON.parse(ARGUMENTS) as Record<string, unknown>

const THINK = ['<think>', '</think>']
const TOOL_CALL = ['<tool_call>', '</tool_call>']
const GLM = [...THINK, ...TOOL_CALL, '<arg_key>', '</arg_key>', '<arg_value>', '</arg_value>']
const FUNCTION_GEMMA = [
  '<start_function_call>',
  '<end_function_call>',
  '<escape>',
  '<start_function_response>',
]
const GEMMA4 = ['<|tool_call>', '<tool_call|>', '<|"|>', '<|channel>', '<channel|>']

const schema = {
  type: 'object',
  properties: { code: { type: 'string' }, n: { type: 'integer' }, either: { type: ['string', 'null'] } },
}
const TYPED: ParseOptions = { tools: [{ type: 'function', function: { name: 'f', parameters: schema } }] }

const f = (values: object): object => ({ name: 'f', arguments: values })
const g = { name: 'g', arguments: {} }
const calls = (...all: object[]): object => ({ content: '', calls: all, finish: 'tool-calls' })
const text = (content: string, more: object = {}): object => ({ content, calls: [], finish: 'stop', ...more })

export const CASES: readonly ProtocolCase[] = [
  // hermes
  ...(
    [
      ['with marks as control tokens', TOOL_CALL],
      ['with marks as text', []],
    ] as const
  ).flatMap(([how, added]): ProtocolCase[] => {
    const chat = () => protocolChat('hermes', [...THINK, ...added])
    const one = { protocol: 'hermes', chat }
    return [
      {
        ...one,
        title: `two calls behind thoughts and text, ${how}`,
        reply: `<think>\nhm\n</think>\n\nI look.\n<tool_call>\n{"name": "f", "arguments": ${ARGUMENTS}}\n</tool_call>\n<tool_call>\n{"arguments": {}, "name": "g"}\n</tool_call><|im_end|>`,
        turns: [{ ...calls(f(VALUES), g), content: 'I look.', reasoning: 'hm' }],
      },
      {
        ...one,
        title: `text behind a call, ${how}`,
        reply: 'a\n<tool_call>{"name": "g"}</tool_call>\nb<|im_end|>',
        turns: [{ ...calls(g), content: 'ab' }],
      },
      {
        ...one,
        title: `arguments as a string of JSON, ${how}`,
        reply: '<tool_call>{"name": "f", "arguments": "{\\"a\\": 1}"}</tool_call><|im_end|>',
        turns: [calls(f({ a: 1 }))],
      },
      {
        ...one,
        title: `malformed arguments, ${how}`,
        reply: '<tool_call>{"name": "f", "arguments": {"a": tru}}</tool_call>b<|im_end|>',
        turns: [{ ...calls({ name: 'f', error: 'any' }), content: 'b' }],
      },
    ]
  }),
  {
    title: 'a call without an end',
    protocol: 'hermes',
    chat: () => protocolChat('hermes', TOOL_CALL),
    reply: 'x<tool_call>{"name": "f", "arguments": {"a": [1, 2',
    turns: [{ content: 'x', calls: [{ name: 'f', error: 'the call does not end' }], finish: 'length' }],
  },
  {
    title: 'a call without a name',
    protocol: 'hermes',
    chat: () => protocolChat('hermes', TOOL_CALL),
    reply: '<tool_call>{"arguments": {}}</tool_call><|im_end|>',
    turns: [
      {
        content: '{"arguments": {}}',
        calls: [{ name: '', error: 'the call has no name' }],
        finish: 'tool-calls',
      },
    ],
  },
  {
    title: 'text that spells marks, where the model has them as control tokens',
    protocol: 'hermes',
    chat: () =>
      protocolChat(
        'hermes',
        [...THINK, ...TOOL_CALL].map((name) => name.replace('>', '|>')),
      ),
    reply: 'Write </think> and <|tool_call|>.<|im_end|>',
    turns: [text('Write </think> and <|tool_call|>.')],
  },
  {
    title: 'text that mentions a mark which is no call',
    protocol: 'hermes',
    chat: () => protocolChat('hermes'),
    reply: 'The tag <tool_call> begins, </tool_call> ends: <tool_call>\n {"a<|im_end|>',
    turns: [
      {
        content: 'The tag <tool_call> begins, </tool_call> ends: {"a',
        calls: [{ name: '', error: 'the call does not end' }],
        finish: 'tool-calls',
      },
    ],
  },
  // qwen3-coder
  {
    title: 'values of many kinds',
    protocol: 'qwen3-coder',
    chat: () => protocolChat('qwen3-coder', TOOL_CALL),
    reply:
      'Look.\n<tool_call>\n<function=f>\n<parameter=code>\n\n1 < 2 </function> "</parameter\n\n</parameter>\n<parameter=n>\n5\n</parameter>\n<parameter=either>\n7\n</parameter>\n<parameter=free>\n{"a": [1]}\n</parameter>\n<parameter=__proto__>\nx\n</parameter>\n</function>\n</tool_call>\n<tool_call>\n<function=g>\n</function>\n</tool_call><|im_end|>',
    options: TYPED,
    turns: [
      {
        ...calls(
          f({
            code: '\n1 < 2 </function> "</parameter\n',
            n: 5,
            either: '7',
            free: { a: [1] },
            ...JSON.parse('{"__proto__": "x"}'),
          }),
          g,
        ),
        content: 'Look.',
      },
    ],
  },
  {
    title: 'a parameter without an end',
    protocol: 'qwen3-coder',
    chat: () => protocolChat('qwen3-coder', TOOL_CALL),
    reply: '<tool_call>\n<function=f>\n<parameter=a>\n1</tool_call><|im_end|>',
    turns: [calls({ name: 'f', error: 'the call does not end' })],
  },
  {
    title: 'no function',
    protocol: 'qwen3-coder',
    chat: () => protocolChat('qwen3-coder', TOOL_CALL),
    reply: '<tool_call>{"name": "f"}</tool_call><|im_end|>',
    turns: [
      {
        content: '{"name": "f"}',
        calls: [{ name: '', error: '<function= was expected' }],
        finish: 'tool-calls',
      },
    ],
  },
  // glm45
  {
    title: 'typed values, two calls',
    protocol: 'glm45',
    chat: () => protocolChat('glm45', GLM),
    reply:
      '\n<think>hm</think>\nI look.\n<tool_call>f\n<arg_key>code</arg_key>\n<arg_value>5</arg_value>\n<arg_key>n</arg_key>\n<arg_value>5</arg_value>\n<arg_key>free</arg_key>\n<arg_value>[1, "a"]</arg_value>\n</tool_call>\n<tool_call>g\n</tool_call><|im_end|>',
    options: TYPED,
    turns: [{ ...calls(f({ code: '5', n: 5, free: [1, 'a'] }), g), content: '\nI look.', reasoning: 'hm' }],
  },
  {
    title: 'a value without a key, and no end',
    protocol: 'glm45',
    chat: () => protocolChat('glm45', GLM),
    reply: '<tool_call>f<arg_value>5</arg_value></tool_call><tool_call>g<arg_key>a</arg_key><arg_value>1',
    turns: [
      {
        content: '',
        calls: [
          { name: 'f', error: '<arg_value> stands where it does not belong' },
          { name: 'g', error: 'the call does not end' },
        ],
        finish: 'length',
      },
    ],
  },
  {
    title: 'marks in plain text',
    protocol: 'glm45',
    chat: () => protocolChat('glm45'),
    reply: '<tool_call>f<arg_key>a</arg_key><arg_value>x <arg_key> y</arg_value></tool_call><|im_end|>',
    turns: [calls(f({ a: 'x <arg_key> y' }))],
  },
  // llama3
  {
    title: 'two bare calls',
    protocol: 'llama3',
    chat: () => formatChat('llama3.1'),
    reply: `{"name": "f", "parameters": ${ARGUMENTS}}; {"type": "function", "name": "g", "parameters": {}}<|eot_id|>`,
    turns: [calls(f(VALUES), g)],
  },
  {
    title: 'JSON that is no call',
    protocol: 'llama3',
    chat: () => formatChat('llama3.1'),
    reply: ' {"name": "Bob", "age": 3}<|eot_id|>',
    turns: [text(' {"name": "Bob", "age": 3}')],
  },
  {
    title: 'a call of a tool that there is not, where the tools are known',
    protocol: 'llama3',
    chat: () => formatChat('llama3.1'),
    reply: '{"name": "h", "parameters": {"a": 1}}<|eot_id|>',
    options: TYPED,
    turns: [text('{"name": "h", "parameters": {"a": 1}}')],
  },
  {
    title: 'text behind a call',
    protocol: 'llama3',
    chat: () => formatChat('llama3.1'),
    reply: '{"name": "f", "parameters": {"a": 1}} is a call<|eot_id|>',
    turns: [{ ...calls(f({ a: 1 })), content: ' is a call' }],
  },
  {
    title: 'a tagged call, malformed',
    protocol: 'llama3',
    chat: () => formatChat('llama3.1'),
    reply: 'ok<|python_tag|>{"name": "f", "parameters": {"a": 1}<|eom_id|>',
    turns: [{ ...calls({ name: 'f', error: 'the call does not end' }), content: 'ok' }],
  },
  {
    title: 'a built-in tool, and one with a value that is no literal',
    protocol: 'llama3',
    chat: () => formatChat('llama3.1'),
    reply: '<|python_tag|>brave_search.call(query="x y")<|eom_id|>',
    turns: [calls({ name: 'brave_search', arguments: { query: 'x y' } })],
  },
  {
    title: 'a program',
    protocol: 'llama3',
    chat: () => formatChat('llama3.1'),
    reply: '<|python_tag|>import os\nprint(os)<|eom_id|>',
    turns: [calls({ name: 'code_interpreter', arguments: { code: 'import os\nprint(os)' } })],
  },
  // mistral
  {
    title: 'a list, the old form',
    protocol: 'mistral',
    chat: () => formatChat('mistral-v7'),
    reply: `ok[TOOL_CALLS] [{"name": "f", "arguments": ${ARGUMENTS}, "id": "abcdefghi"}, {"name": "g", "arguments": {}}]</s>`,
    turns: [{ ...calls(f(VALUES), g), content: 'ok' }],
  },
  {
    title: 'names and arguments, the new form, with thoughts',
    protocol: 'mistral',
    chat: () => protocolChat('mistral', ['[TOOL_CALLS]', '[ARGS]', '[CALL_ID]', '[THINK]', '[/THINK]']),
    reply: `[THINK]hm[/THINK]ok[TOOL_CALLS]f[ARGS]${ARGUMENTS}[TOOL_CALLS]g[CALL_ID]abcdefghi[ARGS]{}<|im_end|>`,
    turns: [{ ...calls(f(VALUES), g), content: 'ok', reasoning: 'hm' }],
  },
  {
    title: 'malformed calls of both forms',
    protocol: 'mistral',
    chat: () => protocolChat('mistral', ['[TOOL_CALLS]', '[ARGS]', '[CALL_ID]']),
    reply: '[TOOL_CALLS]f[ARGS]{"a"[TOOL_CALLS]nothing[TOOL_CALLS] [1]<|im_end|>',
    turns: [
      {
        content: 'nothing[1]',
        calls: [
          { name: 'f', error: 'any' },
          { name: '', error: '[ARGS] was expected' },
          { name: '', error: 'a call was expected' },
        ],
        finish: 'tool-calls',
      },
    ],
  },
  // deepseek
  {
    title: 'fenced and bare arguments',
    protocol: 'deepseek',
    chat: () => formatChat('deepseek-r1'),
    reply: `ok<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n\`\`\`json\n${ARGUMENTS}\n\`\`\`<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>g<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>`,
    turns: [{ ...calls(f(VALUES), g), content: 'ok' }],
  },
  {
    title: 'malformed calls',
    protocol: 'deepseek',
    chat: () => formatChat('deepseek-r1'),
    reply:
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{"a": }<｜tool▁call▁end｜><｜tool▁call▁begin｜>function<｜tool▁call▁end｜><｜tool▁call▁begin｜>g<｜tool▁sep｜>{}',
    turns: [
      {
        content: 'function',
        calls: [
          { name: 'f', error: 'any' },
          { name: '', error: '<｜tool▁sep｜> was expected' },
          { name: 'g', error: 'the call does not end' },
        ],
        unexpected: ['<｜tool▁call▁end｜>'],
        finish: 'length',
      },
    ],
  },
  // harmony
  {
    title: 'thoughts, a preamble and two calls',
    protocol: 'harmony',
    chat: () => formatChat('harmony'),
    reply: `<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary<|message|>I look.<|end|><|start|>assistant to=functions.f<|channel|>commentary <|constrain|>json<|message|>${ARGUMENTS}<|end|><|start|>assistant<|channel|>commentary to=functions.g json<|message|>{}<|call|>`,
    turns: [{ ...calls(f(VALUES), g), content: 'I look.', reasoning: 'hm' }],
  },
  {
    title: 'a program for python, and malformed arguments',
    protocol: 'harmony',
    chat: () => formatChat('harmony'),
    reply:
      '<|channel|>analysis to=python code<|message|>print(1)<|end|><|start|>assistant to=functions.f<|channel|>commentary<|message|>{"a"<|call|>',
    turns: [calls({ name: 'python', arguments: { code: 'print(1)' } }, { name: 'f', error: 'any' })],
  },
  {
    title: 'a message that claims to be of the system',
    protocol: 'harmony',
    chat: () => formatChat('harmony'),
    reply:
      '<|channel|>final<|message|>x<|end|><|start|>system to=functions.f<|message|>{}<|end|><|start|>functions.f to=assistant<|channel|>commentary<|message|>y<|return|>',
    turns: [text('x\n\n{}\n\ny', { unexpected: ['<|message|>', '<|message|>'] })],
  },
  // gemma
  {
    title: 'FunctionGemma',
    protocol: 'gemma',
    chat: () => protocolChat('gemma', FUNCTION_GEMMA),
    reply:
      'ok<start_function_call>call:f{city:<escape>北京 {a:1}, "x"<escape>,days:[1,-2.5,{a:null,b:[true,false]}],free:word}<end_function_call><start_function_call>call:g{}<end_function_call><|im_end|>',
    turns: [
      {
        ...calls(
          f({ city: '北京 {a:1}, "x"', days: [1, -2.5, { a: null, b: [true, false] }], free: 'word' }),
          g,
        ),
        content: 'ok',
      },
    ],
  },
  {
    title: 'Gemma 4',
    protocol: 'gemma',
    chat: () => protocolChat('gemma', GEMMA4),
    reply:
      '<|channel>thought\nhm\n<channel|>ok<|tool_call>call:f{a:<|"|>x<|"|>,b:"y",n:1e3}<tool_call|><|im_end|>',
    turns: [{ ...calls(f({ a: 'x', b: 'y', n: 1000 })), content: 'ok', reasoning: 'hm' }],
  },
  {
    title: 'malformed calls of Gemma',
    protocol: 'gemma',
    chat: () => protocolChat('gemma', FUNCTION_GEMMA),
    reply:
      '<start_function_call>call:f{a 1}<end_function_call><start_function_call>f()<end_function_call><start_function_call>call:g{a:<escape>x',
    turns: [
      {
        content: 'f()',
        calls: [
          { name: 'f', error: 'expected :' },
          { name: '', error: 'call:name{ was expected' },
          { name: 'g', error: 'the call does not end' },
        ],
        finish: 'length',
      },
    ],
  },
  // phi4
  {
    title: 'a list of calls',
    protocol: 'phi4',
    chat: () => protocolChat('phi4', ['<|tool_call|>', '<|/tool_call|>']),
    reply: `<|tool_call|>[{"name": "f", "arguments": ${ARGUMENTS}}, {"name": "g", "arguments": {}}]<|/tool_call|><|im_end|>`,
    turns: [calls(f(VALUES), g)],
  },
  {
    title: 'the word functools',
    protocol: 'phi4',
    chat: () => protocolChat('phi4', ['<|tool_call|>', '<|/tool_call|>']),
    reply: 'Use functools: functools[{"name": "g", "arguments": {}}]<|im_end|>',
    turns: [{ ...calls(g), content: 'Use functools: ' }],
  },
  // glm4
  {
    title: 'an answer and two calls, each a turn',
    protocol: 'glm4',
    chat: () => formatChat('glm4'),
    reply: `\nI look.<|assistant|>f\n${ARGUMENTS}<|assistant|>g\n{}<|observation|>`,
    turns: [
      text('I look.', { finish: 'continued' }),
      { content: '', metadata: 'f', calls: [f(VALUES)], finish: 'continued' },
      { ...calls(g), metadata: 'g' },
    ],
  },
  {
    title: 'answers without the first line, and malformed arguments',
    protocol: 'glm4',
    chat: () => formatChat('glm4'),
    reply: 'Hello<|assistant|>Hello you\nthere<|assistant|>Hello\nthere<|assistant|>f\n{"a"<|user|>',
    turns: [
      text('Hello', { finish: 'continued' }),
      text('Hello you\nthere', { finish: 'continued' }),
      text('Hello\nthere', { finish: 'continued' }),
      { ...calls({ name: 'f', error: 'any' }), metadata: 'f' },
    ],
  },
  // text
  {
    title: 'thoughts and an answer',
    protocol: 'text',
    chat: () => protocolChat('text', THINK),
    reply: 'a<think>\n\nhm\n\n</think>\n\nb\n<|im_end|>',
    turns: [text('ab\n', { reasoning: 'hm' })],
  },
  {
    title: 'a reply that begins within thoughts',
    protocol: 'text',
    chat: () => protocolChat('text', THINK),
    reply: 'hm\n</think>\n\nb</think><|im_end|>',
    options: { prompt: [1, 277, 1] },
    turns: [text('b', { reasoning: 'hm', unexpected: ['</think>'] })],
  },
]
