import { describe, expect, it } from 'vitest'
import { PieceType } from '../../../src/load/tokenizer-spec.js'
import { control, trusted } from '../../../src/prompt/parts.js'
import { byteLevelGguf } from '../../fixtures/gguf-files.js'
import { errorOf, idOf, load, withElement } from '../../fixtures/gguf-inputs.js'
import { type BpeJson, type GgufInputs, ggufFromBpeJson } from '../../fixtures/gguf-writer.js'
import { byteLevelJson } from '../../fixtures/tokenizer-json.js'

describe('what is reserved', () => {
  const inputs = byteLevelGguf()
  const reasons = (some: GgufInputs) => new Map(load(some).reserved.map(({ name, reason }) => [name, reason]))

  it('control tokens and marks, and no padding', () => {
    expect(reasons(inputs)).toEqual(
      new Map([
        ['<|begin|>', 'special added token'],
        ['<|user|>', 'special added token'],
        ['<|end|>', 'special added token'],
        ['<think>', 'added token that is a bracketed mark'],
      ]),
    )
    const padding = idOf(inputs, `[PAD${Object.keys(byteLevelJson().model.vocab).length + 7}]`)
    expect(padding).toBeGreaterThan(0)
    const typed = withElement(inputs, 'tokenizer.ggml.token_type', padding, PieceType.USER_DEFINED)
    const tokenizer = load(typed)
    expect(tokenizer.idToToken(padding)).toBeUndefined()
    const text = `[PAD${padding}]`
    expect(tokenizer.encode(trusted(text))).toEqual(tokenizer.encode(text))
  })

  it('marks that are typed as normal, in trusted text and nowhere else', () => {
    const typed = {
      ...inputs,
      'tokenizer.ggml.token_type': ['i32s', Array(300).fill(1).slice(0, 277)],
    } as GgufInputs
    expect([...reasons(typed).keys()]).toEqual(['<|begin|>', '<|user|>', '<|end|>', '<think>'])
    const tokenizer = load(typed)
    const user = idOf(inputs, '<|user|>')
    expect([...tokenizer.encode(trusted('<|user|>'))]).toEqual([user])
    expect([...tokenizer.encode([control('<|user|>')])]).toEqual([user])
    expect([...tokenizer.encode('<|user|>')]).not.toContain(user)
  })

  it('not marks that the model itself makes of text, unless they have a role', () => {
    const json = byteLevelJson({ merges: ['[ a', '[a ]', '< |', '<| x', '<|x |', '<|x| >'] }) as BpeJson
    const plain = ggufFromBpeJson(json, 'gpt-2')
    expect([...reasons(plain).keys()]).toEqual([])
    const eos = { ...plain, 'tokenizer.ggml.eos_token_id': ['u32', idOf(plain, '<|x|>')] } as const
    expect([...reasons(eos).keys()]).toEqual(['<|x|>'])
    expect([...load(eos).encode('<|x|>')]).not.toContain(idOf(plain, '<|x|>'))
  })

  it('tokens with a role, unless they are ordinary text', () => {
    const role = (name: string, token: string): GgufInputs => ({
      ...withElement(inputs, 'tokenizer.ggml.token_type', idOf(inputs, token), PieceType.NORMAL),
      [`tokenizer.ggml.${name}_token_id`]: ['u32', idOf(inputs, token)],
    })
    for (const name of ['eot', 'fim_pre', 'padding', 'mask', 'middle']) {
      expect([...reasons(role(name, '<|user|>')).keys()], name).toContain('<|user|>')
    }
    for (const token of ['!', 'h', 'hell', '\u010a\u010a', '\n\n\n']) {
      expect([...reasons(role('padding', token)).keys()], token).not.toContain(token)
    }
  })

  it('words that the chat template writes and the model cannot', () => {
    const json = byteLevelJson({
      added: ['sop', 'user', 'other', '***'].map((content) => ({ content, special: false })),
    }) as BpeJson
    const template = '{# other #}{% set other = 1 %}sop{{ \'user\' + "***" + other }}'
    const file = (more: GgufInputs) => ggufFromBpeJson(json, 'gpt-2', 0, more)
    expect([...reasons(file({})).keys()]).toEqual([])
    // `user` is a token of the model, which makes it of merges.
    expect([...reasons(file({ 'tokenizer.chat_template': ['string', template] })).keys()]).toEqual(['sop'])
    expect([...reasons(file({ 'tokenizer.chat_template.tools': ['string', template] })).keys()]).toEqual([
      'sop',
    ])
  })

  it('with templates that are not absurdly long', () => {
    const content = Array.from({ length: 2000 }, (_, i) => ({ content: `word${i}`, special: false }))
    const json = byteLevelJson({ added: content }) as BpeJson
    const file = (length: number) =>
      ggufFromBpeJson(json, 'gpt-2', 0, { 'tokenizer.chat_template': ['string', 'x'.repeat(length)] })
    expect(load(file(20_000)).reserved).toEqual([])
    expect(errorOf(file(1_000_000)).message).toMatch(/chat_template, byte \d+: it is too long/)
  })

  it('whatever the policy of the caller', () => {
    const special = load(inputs, { reserve: 'special' }).reserved.map(({ name }) => name)
    expect(special).toEqual(['<|begin|>', '<|user|>', '<|end|>'])
    const all = load(inputs, { reserve: 'all-added' }).reserved.map(({ name }) => name)
    expect(all).toEqual(['<|begin|>', '<|user|>', '<|end|>', '<think>', '\n\n\n'])
  })
})
