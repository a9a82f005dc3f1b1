// DeepSeek's calls, to the letter. The texts are those of the models' templates; content of V3's calls is null there.
import { describe, expect, it } from 'vitest'
import type { ChatMessage } from '../../../src/chat/messages.js'
import type { EncodeChatOptions } from '../../../src/chat/prompt-maker.js'
import { InvalidMessageError } from '../../../src/errors.js'
import { assistantTexts } from './assistant-text.js'
import { formatChat } from './format-chat.js'

const BEGIN = '<｜begin▁of▁sentence｜>'
const END = '<｜end▁of▁sentence｜>'
const USER = '<｜User｜>'
const ASSISTANT = '<｜Assistant｜>'
const [CALLS, CALLS_END] = ['<｜tool▁calls▁begin｜>', '<｜tool▁calls▁end｜>']
const [OUTPUTS, OUTPUTS_END] = ['<｜tool▁outputs▁begin｜>', '<｜tool▁outputs▁end｜>']
const called = (name: string, args: string) =>
  `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n${args}\n\`\`\`<｜tool▁call▁end｜>`
const output = (text: string) => `<｜tool▁output▁begin｜>${text}<｜tool▁output▁end｜>`

const user = (content: string) => ({ role: 'user', content })
const answer = { role: 'assistant', content: 'b' }
const result = (content: string, id: string) => ({ role: 'tool', content, tool_call_id: id })
const f = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"city": "Rom"}' } }
const g = { id: 'c2', type: 'function', function: { name: 'g', arguments: {} } }
const calls = (...list: (typeof f | typeof g)[]) => ({ role: 'assistant', tool_calls: list })
const [F, G] = [called('f', '{"city": "Rom"}'), called('g', '{}')]

const ONE = [{ role: 'system', content: 'S' }, user('a'), calls(f), result('1', 'c1'), answer, user('c')]
const PARALLEL = [user('a'), calls(f, g), result('1', 'c1'), result('2', 'c2'), answer]
const STEPS = [user('a'), calls(f), result('1', 'c1'), calls(g), result('2', 'c2'), answer]

const render = (format: string, messages: ChatMessage[], options?: EncodeChatOptions) =>
  formatChat(format).render(messages, options)

describe('deepseek-v3', () => {
  it('closes calls from the second on, and begins them once', () => {
    expect(render('deepseek-v3', ONE)).toBe(
      `${BEGIN}S${USER}a${ASSISTANT}${CALLS}${F}${OUTPUTS}${output('1')}${OUTPUTS_END}b${END}${USER}c${ASSISTANT}`,
    )
    expect(render('deepseek-v3', PARALLEL, { addGenerationPrompt: false })).toBe(
      `${BEGIN}${USER}a${ASSISTANT}${CALLS}${F}\n${G}${CALLS_END}${END}` +
        `${OUTPUTS}${output('1')}\n${output('2')}${OUTPUTS_END}b${END}`,
    )
    expect(render('deepseek-v3', STEPS)).toBe(
      `${BEGIN}${USER}a${ASSISTANT}${CALLS}${F}${OUTPUTS}${output('1')}\n${G}${CALLS_END}${END}` +
        `\n${output('2')}${OUTPUTS_END}b${END}${ASSISTANT}`,
    )
  })

  it('lets the model go on behind results', () => {
    expect(render('deepseek-v3', ONE.slice(1, 4))).toBe(
      `${BEGIN}${USER}a${ASSISTANT}${CALLS}${F}${OUTPUTS}${output('1')}${OUTPUTS_END}`,
    )
  })

  it('has no text beside calls', () => {
    expect(() => render('deepseek-v3', [user('a'), { ...calls(f), content: 't' }])).toThrow(
      InvalidMessageError,
    )
  })
})

describe('deepseek-r1', () => {
  it('closes all calls', () => {
    expect(render('deepseek-r1', ONE)).toBe(
      `${BEGIN}S${USER}a${ASSISTANT}${CALLS}${F}${CALLS_END}${END}` +
        `${OUTPUTS}${output('1')}${OUTPUTS_END}b${END}${USER}c${ASSISTANT}`,
    )
    expect(render('deepseek-r1', PARALLEL, { addGenerationPrompt: false })).toBe(
      `${BEGIN}${USER}a${ASSISTANT}${CALLS}${F}\n${G}${CALLS_END}${END}` +
        `${OUTPUTS}${output('1')}\n${output('2')}${OUTPUTS_END}b${END}`,
    )
    expect(render('deepseek-r1', STEPS)).toBe(
      `${BEGIN}${USER}a${ASSISTANT}${CALLS}${F}${CALLS_END}${END}${OUTPUTS}${output('1')}${OUTPUTS_END}` +
        `${CALLS}${G}${CALLS_END}${END}${OUTPUTS}${output('2')}${OUTPUTS_END}b${END}${ASSISTANT}`,
    )
  })

  it('has text before calls', () => {
    const messages = [user('a'), { ...calls(f), content: 't' }, result('1', 'c1'), user('b')]
    expect(render('deepseek-r1', messages)).toBe(
      `${BEGIN}${USER}a${ASSISTANT}t${CALLS}${F}${CALLS_END}${END}${OUTPUTS}${output('1')}${USER}b${ASSISTANT}`,
    )
    expect(assistantTexts('deepseek-r1', messages)).toEqual([`t${CALLS}${F}${CALLS_END}${END}`])
  })
})
