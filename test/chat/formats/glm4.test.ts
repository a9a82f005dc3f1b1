// GLM-4's ids, as other projects published them.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { Chat } from '../../../src/chat/chat.js'
import type { ChatMessage } from '../../../src/chat/messages.js'
import { InvalidArgumentError } from '../../../src/errors.js'
import { describeShared, sharedFile } from '../../conformance/shared.js'
import { formatChat } from './format-chat.js'

interface Vector {
  readonly model: string
  readonly kind: string
  readonly input: { readonly text?: string; readonly messages?: readonly ChatMessage[] }
  readonly ids: readonly number[]
}

describeShared('vectors that other projects published', () => {
  const { cases } = JSON.parse(
    readFileSync(sharedFile('data', 'chatglm3', 'published_vectors.json') as string, 'utf8'),
  ) as { cases: Vector[] }
  const vectors = cases.filter(({ model, kind }) => model === 'glm4' && kind !== 'encode_ordinary')

  it('has their ids', async () => {
    const chat = await Chat.load(sharedFile('data', 'glm4', 'tokenizer.model') as string, { format: 'glm4' })
    for (const { input, ids } of vectors) {
      const { text, messages } = input
      const ours = messages ? chat.encode(messages).ids : chat.encodeText(text as string).inputIds
      expect([...ours], JSON.stringify(input)).toEqual(ids)
    }
    expect(vectors).toHaveLength(4)
    expect(chat.eosTokenIds).toEqual([151329, 151336, 151338])
  })
})

describe('a text by itself', () => {
  const chat = formatChat('glm4')
  const prefix = ['[gMASK]', '<sop>'].map((name) => chat.tokenizer.getCommand(name))

  it('stands behind the prefix', () => {
    expect([...chat.encodeText('<|user|>').inputIds]).toEqual([
      ...prefix,
      ...chat.tokenizer.encode('<|user|>'),
    ])
  })

  it('has no pair', () => {
    expect(() => chat.encodeText('a', { pair: 'b' })).toThrow(InvalidArgumentError)
  })
})
