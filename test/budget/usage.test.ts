import { expect, it } from 'vitest'
import { openAIUsage } from '../../src/budget/usage.js'
import { chatOfFormat } from './conversations.js'

it('takes numbers, ids, counts, chats and sessions', async () => {
  const chat = await chatOfFormat('chatml')
  const messages = [{ role: 'user', content: 'hi' }]
  const encoded = chat.encode(messages)
  const tokens = encoded.ids.length
  const usage = { prompt_tokens: tokens, completion_tokens: 3, total_tokens: tokens + 3 }
  for (const prompt of [tokens, encoded, encoded.ids, chat.count(messages), chat.session({ messages })]) {
    expect(openAIUsage(prompt, [1, 2, 3])).toEqual(usage)
  }
  expect(openAIUsage(10, 5, { cachedTokens: 8, reasoningTokens: 2 })).toEqual({
    prompt_tokens: 10,
    completion_tokens: 5,
    total_tokens: 15,
    prompt_tokens_details: { cached_tokens: 8 },
    completion_tokens_details: { reasoning_tokens: 2 },
  })
  expect(openAIUsage(1).total_tokens).toBe(1)
})

it('refuses what is no number of tokens', () => {
  expect(() => openAIUsage(-1)).toThrow('prompt: a number of tokens')
  expect(() => openAIUsage(1, {} as never)).toThrow('completion: a number of tokens')
  expect(() => openAIUsage(1, 1, { cachedTokens: 0.5 })).toThrow('cachedTokens')
  expect(() => openAIUsage(1, 1, { reasoningTokens: -1 })).toThrow('reasoningTokens')
})
