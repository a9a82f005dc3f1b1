import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChatMessage } from '../../src/chat/messages.js'
import { parseTranscript, type TranscriptFormat } from '../../src/chat/transcript.js'
import { InvalidArgumentError } from '../../src/errors.js'
import { formatChat } from './formats/format-chat.js'

describe('parseTranscript', () => {
  it.each<[TranscriptFormat, string, ChatMessage[]]>([
    [
      'vicuna',
      '<s>Be kind. USER: hi ASSISTANT: hello</s>USER: bye ASSISTANT:',
      [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'hello' },
        { role: 'user', content: 'bye' },
      ],
    ],
    [
      'vicuna',
      'SYSTEM: a\nUSER: b\nASSISTANT: c</s>\n',
      [
        { role: 'system', content: 'a' },
        { role: 'user', content: 'b' },
        { role: 'assistant', content: 'c' },
      ],
    ],
    [
      'alpaca',
      'Below is an instruction.\n\n### Instruction:\nAdd.\n\n### Input:\n1 2\n\n### Response:\n3',
      [
        { role: 'system', content: 'Below is an instruction.' },
        { role: 'user', content: 'Add.\n\n1 2' },
        { role: 'assistant', content: '3' },
      ],
    ],
    [
      'llama2',
      '<s>[INST] <<SYS>>\nBe kind.\n<</SYS>>\n\nhi [/INST] hello </s><s>[INST] bye [/INST]',
      [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'hello' },
        { role: 'user', content: 'bye' },
      ],
    ],
    [
      'chatml',
      '<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n',
      [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'hi' },
      ],
    ],
    [
      'chatglm3',
      '[gMASK]sop<|user|> \n hi<|assistant|> get_weather\n ```python\ncall()\n```<|observation|> \n 22<|assistant|>',
      [
        { role: 'user', content: 'hi' },
        { role: 'assistant', metadata: 'get_weather', content: '```python\ncall()\n```' },
        { role: 'observation', content: '22' },
      ],
    ],
  ])('%s: %j', (format, text, messages) => {
    expect(parseTranscript(text, format)).toEqual(messages)
  })

  it('refuses what holds no turn, and formats that it does not know', () => {
    expect(parseTranscript(' \n', 'chatml')).toEqual([])
    expect(() => parseTranscript('just text', 'chatml')).toThrow(InvalidArgumentError)
    expect(() => parseTranscript('USER: hi', 'toString' as never)).toThrow(/vicuna, chatml, alpaca/)
    expect(() => parseTranscript(5 as never, 'vicuna')).toThrow(InvalidArgumentError)
  })
})

describe('who said what survives', () => {
  const word = fc.stringMatching(/^[\p{L}\p{N},.!?]{1,12}$/u)
  const content = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' ').normalize())
  const conversation = fc
    .tuple(fc.option(content), fc.array(fc.tuple(content, content), { maxLength: 3 }), content)
    .map(([system, rounds, question]): ChatMessage[] => [
      ...(system === null ? [] : [{ role: 'system', content: system }]),
      ...rounds.flatMap(([user, assistant]) => [
        { role: 'user', content: user },
        { role: 'assistant', content: assistant },
      ]),
      { role: 'user', content: question },
    ])

  it.each<[string, TranscriptFormat]>([
    ['vicuna', 'vicuna'],
    ['vicuna-system', 'vicuna'],
    ['alpaca', 'alpaca'],
    ['llama2', 'llama2'],
    ['chatml', 'chatml'],
  ])('the way through %s', (name, format) => {
    const chat = formatChat(name)
    fc.assert(
      fc.property(conversation, (messages) => {
        const read = parseTranscript(chat.render(messages), format)
        expect(read).toEqual(messages)
        expect(chat.encode(read).ids).toEqual(chat.encode(messages).ids)
      }),
      { numRuns: 300 },
    )
  })
})
