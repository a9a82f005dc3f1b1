// ChatGLM3's process_response, by the vectors of the reference.
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { Chat } from '../../src/chat/chat.js'
import type { ChatMessage } from '../../src/chat/messages.js'
import { ToolCallParseError } from '../../src/errors.js'
import { postprocessText, processResponse } from '../../src/output/process-response.js'
import { sharedFile } from '../conformance/shared-files.js'
import { plain } from './replies.js'

interface Vector {
  readonly output: string
  readonly history: string
  readonly content?: unknown
  readonly appended?: readonly object[]
  readonly error?: string
}

const file = sharedFile('data', 'chatglm3', 'reference_vectors.json')
const vectors = file
  ? (JSON.parse(readFileSync(file, 'utf8')) as {
      process_response: Vector[]
      process_response_history: Record<string, ChatMessage[]>
    })
  : undefined

/** What Python evaluates and we do not: our answer is an error that says where reading stopped. */
const EVALUATED: Readonly<Record<string, string>> = {
  'tool_call(x=1+2)': 'tool call, character 13: expected , or )',
  '1+1': 'tool call, character 1: expected nothing more',
}

describe.skipIf(vectors === undefined)('the vectors of the reference', () => {
  it.each(vectors?.process_response ?? [])(
    '$history: $output',
    ({ output, history, content, appended, error }) => {
      const before = vectors?.process_response_history[history] as ChatMessage[]
      const code = Object.keys(EVALUATED).find((each) => output.includes(`\n${each}\n`))
      const run = () => processResponse(output, before, { compat: 'exact' })
      if (history === 'with_tools' && code !== undefined) {
        expect(run).toThrow(ToolCallParseError)
        expect(run).toThrow(EVALUATED[code])
      } else if (error !== undefined) {
        expect(run).toThrow(ToolCallParseError)
      } else {
        const { response, history: after } = run()
        expect(response).toEqual(content)
        expect(after).toEqual([...before, ...(appended ?? [])])
      }
    },
  )
})

describe('safe', () => {
  const turns = (output: string) => processResponse(output, []).turns.map(plain)
  const call = (a: unknown) => ({ name: 'f', arguments: { a } })

  it('gives all turns and calls', () => {
    const output =
      '\n a<|assistant|> f\n ```python\ntool_call(a=1)\n```<|assistant|> g\n ```python\ntool_call(y=2)\n```'
    expect(turns(output)).toEqual([
      { content: 'a', calls: [], finish: 'continued' },
      { content: '', metadata: 'f', calls: [call(1)], finish: 'continued' },
      { content: '', metadata: 'g', calls: [{ name: 'g', arguments: { y: 2 } }], finish: 'tool-calls' },
    ])
    expect(processResponse(output, []).response).toEqual({ name: 'g', parameters: { y: 2 } })
  })

  it.each([
    ['f\n ```python\ntool_call(a=1)\n```\n', call(1)],
    ['f\n```python\ntool_call(a=1)```', call(1)],
    ['f\n tool_call(a=1)', call(1)],
    ['f\n```python\n{"a": 1}\n```', call(1)],
    ['f\n```\nx\n```\n```python\ntool_call(\n  a=1,\n)\n```', call(1)],
    ['f\n```python\ntool_call(a=1)', { name: 'f', error: 'expected the end of the fence' }],
    ['f\n```python\ntool_call(a=x)\n```', { name: 'f', error: 'expected a literal value; x is not one' }],
    [
      'f\n```python\n__import__("os").system("x")\n```',
      { name: 'f', error: 'expected an argument with its name: key=value' },
    ],
    ['interpreter\n ```python\nprint(1)\n```', { name: 'interpreter', arguments: { code: 'print(1)' } }],
  ])('reads the call %j', (output, expected) => {
    expect(turns(output)).toMatchObject([{ content: '', calls: [expected] }])
  })

  it.each(['hello', 'hello you\nthere', '你好\n世界'])(
    'takes %j without its first line for an answer',
    (output) => {
      expect(turns(output)).toEqual([{ content: output, calls: [], finish: 'stop' }])
    },
  )
})

describe('ids in the place of text', () => {
  let chat: Chat
  beforeAll(async () => {
    chat = await Chat.load('models/mini-chatglm3')
  })

  it('keep apart what a model says and what it spells', () => {
    const said = chat.parse(chat.tokenizer.encode('\n a<|assistant|> f\n ```python\ntool_call(a=1)\n```'))
    expect(said.map(plain)).toEqual([
      { content: 'a<|assistant|> f\n ```python\ntool_call(a=1)\n```', calls: [], finish: 'length' },
    ])
  })

  it('have no space in front of a second turn', () => {
    const { tokenizer } = chat
    const turns = chat.parse([
      ...tokenizer.encode('\n'),
      ...tokenizer.encode('hello'),
      tokenizer.getCommand('<|assistant|>'),
      ...tokenizer.encode('f\n'),
      ...tokenizer.encode('```python\ntool_call(a="中")\n```'),
      tokenizer.getCommand('<|observation|>'),
    ])
    expect(turns.map(plain)).toEqual([
      { content: 'hello', calls: [], finish: 'continued' },
      { content: '', metadata: 'f', calls: [{ name: 'f', arguments: { a: '中' } }], finish: 'tool-calls' },
    ])
    expect(turns[1]?.toolCalls[0]?.rawArguments).toBe('```python\ntool_call(a="中")\n```')
  })

  it('write foreign calls as the model was trained to, and read them again', () => {
    const args = {
      city: 'It\'s "x"\n\\ 中👋\u0085',
      n: [1, -2.5, 1e30, { a: null, 'b c': [true, false] }],
      'not-a-name': 1,
      class: 2,
      __proto__: 3,
    }
    const message: ChatMessage = {
      role: 'assistant',
      content: 'I look.',
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'f', arguments: JSON.stringify(args) } },
        { id: 'b', type: 'function', function: { name: 'interpreter', arguments: { code: 'print("```")' } } },
        { id: 'c', type: 'function', function: { name: 'g', arguments: {} } },
      ],
    }
    const user = { role: 'user', content: 'q' }
    const text = chat.render([user, message], { addGenerationPrompt: false })
    expect(text).toContain(
      "<|assistant|>f\n```python\ntool_call(city='It\\'s \"x\"\\n\\\\ 中👋\\x85', n=[1, -2.5, 1e+30, {'a': None, 'b c': [True, False]}], **{'not-a-name': 1, 'class': 2})\n```",
    )
    const asked = chat.encode([user]).ids
    const whole = chat.encode([user, message], { addGenerationPrompt: false }).ids
    const turns = chat.parse(whole.slice(asked.length))
    expect(turns.map(({ content }) => content)).toEqual(['I look.', '', '', ''])
    expect(turns.flatMap(({ toolCalls }) => toolCalls.map(({ name }) => name))).toEqual([
      'f',
      'interpreter',
      'g',
    ])
    expect(turns[1]?.toolCalls[0]?.arguments).toEqual(JSON.parse(JSON.stringify(args)))
    expect(turns[3]?.toolCalls[0]?.arguments).toEqual({})
  })
})

it('postprocessText shows an answer as the demo does', () => {
  expect(postprocessText(' \\(a\\) \\[b\\] <|user|><|system|>x<|observation|> ')).toBe('$a$ $$b$$ x')
  expect(postprocessText('<|us<|user|>er|>')).toBe('<|us<|user|>er|>'.replace('<|user|>', ''))
})
