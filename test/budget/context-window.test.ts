import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { believableWindow } from '../../src/budget/context-window.js'
import { Chat } from '../../src/chat/chat.js'

it.each([
  [undefined, undefined, undefined],
  [4096, undefined, 4096],
  [undefined, 32768, 32768],
  [131072, 40960, 40960],
  [16384, 163840, 16384],
  [2 ** 31 - 1, 8192, 8192], // a sentinel
  [1e9, undefined, undefined],
  [1, 2048, 2048],
])('of model_max_length %s and positions %s is %s', (modelMaxLength, maxPositionEmbeddings, expected) => {
  expect(believableWindow({ modelMaxLength, maxPositionEmbeddings })).toBe(expected)
})

it('is what fit goes by', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'safetokens-'))
  try {
    cpSync(path.resolve(import.meta.dirname, '../../models/mini-chatml'), folder, { recursive: true })
    const file = path.join(folder, 'tokenizer_config.json')
    const config = JSON.parse(readFileSync(file, 'utf8')) as object
    writeFileSync(file, JSON.stringify({ ...config, model_max_length: 1e30 }))
    writeFileSync(path.join(folder, 'config.json'), JSON.stringify({ max_position_embeddings: 64 }))
    const chat = await Chat.load(folder)
    expect(chat.contextWindow).toBe(64)
    const messages = Array.from({ length: 21 }, (_, i) => ({
      role: i % 2 === 0 ? 'user' : 'assistant',
      content: `turn ${i}`,
    }))
    const { count, dropped } = await chat.fit(messages, { reserveForReply: 14 })
    expect(count).toBeLessThanOrEqual(50)
    expect(dropped.length).toBeGreaterThan(0)
    expect((await chat.fit(messages, { contextWindow: 1000 })).dropped).toEqual([])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
