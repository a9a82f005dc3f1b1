// Token budgets: what a turn costs in a session of 100 to 10,000 turns, beside counting the whole conversation anew, and
// what `fit` costs. The ids of a session are compared with those of `encode` first. Times are medians, in microseconds.
//   node bench/budget.mjs [--json]
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { Chat, Tokenizer } from '../dist/index.mjs'
import { equal, median } from './measure.mjs'
import { root } from './places.mjs'

const TURNS = [100, 1000, 10_000]
const FORMATS = ['chatml', 'qwen3', 'llama3', 'chatglm3', 'harmony']

/** @param rounds how often each is timed */
export async function benchBudgets(rounds, log) {
  const results = {}
  for (const format of FORMATS) {
    const chat = await chatOf(format)
    if (chat === undefined) continue
    for (const turns of TURNS) {
      const result = benchFormat(chat, turns, rounds)
      results[`${format}, ${turns} turns`] = result
      const { first, again, sameIds, tokens } = result
      log(
        `${format.padEnd(9)} ${String(turns).padStart(6)} turns, ${String(tokens).padStart(7)} tokens: ` +
          `count ${us(first)}, a turn more ${us(again)}, ratio ${(first / again).toFixed(0)}${sameIds ? '' : ', IDS DIFFER'}`,
      )
    }
  }
  results.fit = await benchFit(await chatOf('chatml'), rounds, log)
  return results
}

function benchFormat(chat, turns, rounds) {
  const first = []
  for (let i = 0; i < rounds; i++) {
    const messages = conversation(turns, i) // of which nothing has been seen
    first.push(timed(() => chat.count(messages).total))
  }
  const appended = 20 * rounds
  const all = conversation(turns + appended, rounds)
  const session = chat.session({ messages: all.slice(0, turns) })
  const again = all.slice(turns).map((message) =>
    timed(() => {
      session.append(message)
      return session.count
    }),
  )
  const sameIds = equal(session.ids, chat.encode(session.messages).ids)
  return {
    tokens: chat.count(all.slice(0, turns)).total,
    first: median(first),
    again: median(again),
    sameIds,
  }
}

async function benchFit(chat, rounds, log) {
  const { total } = chat.count(conversation(201))
  const results = {}
  for (const share of [2, 0.9, 0.5, 0.1]) {
    const contextWindow = Math.ceil(total * share)
    const times = []
    let dropped
    for (let i = 0; i < rounds; i++) {
      const messages = conversation(201, i)
      const begin = performance.now()
      ;({ dropped } = await chat.fit(messages, { contextWindow }))
      times.push((performance.now() - begin) * 1000)
    }
    results[share] = median(times)
    log(
      `fit       201 messages of ${total} tokens into ${String(contextWindow).padStart(6)}: ${us(results[share])}, ${dropped.length} go`,
    )
  }
  return results
}

const us = (x) => `${x.toFixed(x < 100 ? 1 : 0)} µs`

function timed(run) {
  const begin = performance.now()
  run()
  return (performance.now() - begin) * 1000
}

/** A chat of a format, with a tokenizer that has its control tokens; undefined where there is none. */
async function chatOf(format) {
  if (format === 'chatglm3') return Chat.load(path.join(root, 'models/mini-chatglm3'))
  const file = path.join(root, 'models/mini-chatml/tokenizer.json')
  const json = JSON.parse(readFileSync(file, 'utf8'))
  const { chatFormat } = await import('../dist/index.mjs')
  const names = new Set(json.added_tokens.map(({ content }) => content))
  const missing = chatFormat(format).controlTokens.filter((name) => !names.has(name))
  const size = Math.max(...Object.values(json.model.vocab), ...json.added_tokens.map(({ id }) => id)) + 1
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }
  json.added_tokens.push(...missing.map((content, i) => ({ id: size + i, content, ...flags })))
  const tokenizer = Tokenizer.from(new TextEncoder().encode(JSON.stringify(json)))
  return Chat.over(tokenizer, { format, now: () => new Date(0) })
}

/** Questions and answers of about 80 tokens. Another number gives other texts. */
function conversation(turns, number = 0) {
  const words = readFileSync(path.join(root, 'LICENSE'), 'utf8').split(/\s+/)
  let seed = 1 + number
  const text = () =>
    Array.from({ length: 40 }, () => {
      seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff
      return words[(seed >> 8) % words.length]
    }).join(' ')
  return Array.from({ length: turns }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: text(),
  }))
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({ options: { json: { type: 'boolean' } } })
  const results = await benchBudgets(15, values.json ? () => {} : console.log)
  if (values.json) console.log(JSON.stringify(results, null, 2))
}
