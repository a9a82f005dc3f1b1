// The golden files of chats are those of the data here, their conversations are harmless, and the texts that the
// templates made have the ids of the reference. What our own templates and formats make of them is tested elsewhere.
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { trusted } from '../../src/prompt/parts.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import {
  type ChatGolden,
  conversationsOf,
  MissingData,
  type PairFiles,
  readChatGolden,
  readPair,
  writePair,
} from './chat-pair-files.js'
import { CHAT_PAIRS } from './chat-pairs.js'

const sha256 = (data: Uint8Array | string): string => createHash('sha256').update(data).digest('hex')

describe.each(CHAT_PAIRS)('$name', { timeout: 60_000 }, (pair) => {
  const golden = readChatGolden(pair.name) as ChatGolden

  it('has a result for every conversation', () => {
    expect(Object.keys(golden.chats)).toEqual(conversationsOf(pair).map(({ id }) => id))
  })

  it('has the ids of transformers', async ({ skip }) => {
    const files = readPair(pair)
    if (files instanceof MissingData) return skip(`there is no ${files.what}`)
    const [bytes] = Object.values(files.files)
    expect(sha256(bytes as Uint8Array)).toBe(golden.tokenizer.sha256)
    expect(sha256(files.template)).toBe(golden.template.sha256)

    const tokenizer = await load(files)
    const reserved = new Set(tokenizer.reserved.map(({ id }) => id))
    for (const { id, messages, tools, documents } of conversationsOf(pair)) {
      for (const text of strings([messages, tools, documents])) {
        const spelled = tokenizer.encode(trusted(text)).filter((token) => reserved.has(token))
        expect([...spelled], `${id}: ${text}`).toEqual([])
      }
    }

    const wrong: object[] = []
    let compared = 0
    for (const [id, chat] of Object.entries(golden.chats)) {
      for (const [ending, result] of Object.entries(chat)) {
        if ('error' in result) continue
        compared++
        const ours = [...tokenizer.encode(trusted(result.text))]
        if (String(ours) !== String(result.ids))
          wrong.push({ id, ending, text: result.text, ours, ids: result.ids })
      }
    }
    expect(wrong.slice(0, 3)).toEqual([])
    expect(compared).toBeGreaterThan(30)
  })
})

async function load(files: PairFiles): Promise<Tokenizer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'chat-pair-'))
  try {
    writePair(files, folder)
    return await Tokenizer.load(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** All strings in JSON, keys included. */
function* strings(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (Array.isArray(value)) for (const item of value) yield* strings(item)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) yield* strings([key, item])
  }
}
