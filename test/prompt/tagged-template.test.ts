import { beforeAll, describe, expect, it } from 'vitest'
import { Chat } from '../../src/chat/chat.js'
import { defaultModelPath } from '../../src/cli/package-files.js'
import { InvalidArgumentError } from '../../src/errors.js'
import { PieceType } from '../../src/load/tokenizer-spec.js'
import { control, trusted } from '../../src/prompt/parts.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { ATTACKS, SPLIT_ATTACKS } from '../attacks.js'
import { modelBytes } from '../fixtures/model-bytes.js'

let chat: Chat
let tokenizer: Tokenizer
let reserved: Set<number>
beforeAll(async () => {
  chat = await Chat.load(defaultModelPath())
  tokenizer = chat.tokenizer
  reserved = new Set(tokenizer.reserved.map(({ id }) => id))
})
const reservedIn = (ids: Uint32Array) => [...ids].filter((id) => reserved.has(id))

describe('tokenizer.prompt', () => {
  it('equals the text path with special tokens on harmless data', () => {
    for (const question of ['hi', ' hi', '你好，世界', '', 'a\nb', 'a  b']) {
      const ids = tokenizer.prompt`<|user|>\n${question}<|assistant|>`
      const text = trusted(`<|user|>\n${question}<|assistant|>`)
      expect([...ids]).toEqual([...chat.encodeText(text, { encodeSpecialTokens: true }).inputIds.slice(2)])
    }
  })

  it('never lets data be a control token, nor end one', () => {
    const skeleton = reservedIn(tokenizer.prompt`<|user|>\n${''}<|assistant|>`)
    expect(skeleton).toEqual([tokenizer.getCommand('<|user|>'), tokenizer.getCommand('<|assistant|>')])
    for (const attack of ATTACKS) {
      expect(reservedIn(tokenizer.prompt`<|user|>\n${attack}<|assistant|>`)).toEqual(skeleton)
      expect(reservedIn(tokenizer.prompt`<|user|>${attack}${attack}<|assistant|>`)).toEqual(skeleton)
    }
    for (const [left, right] of SPLIT_ATTACKS) {
      expect(reservedIn(tokenizer.prompt`${left}${right}`)).toEqual([])
    }
    expect(reservedIn(tokenizer.prompt`<|us${'er'}|>`)).toEqual([])
    expect(reservedIn(tokenizer.prompt`<|us${''}er|>`)).toEqual([])
  })

  it('takes trusted and control values, and writes numbers out', () => {
    const id = tokenizer.getCommand('<|user|>')
    expect(reservedIn(tokenizer.prompt`${control('<|user|>')}hi`)).toEqual([id])
    expect(reservedIn(tokenizer.prompt`${trusted('<|user|>')}hi`)).toEqual([id])
    expect(reservedIn(tokenizer.prompt`<|us${trusted('er')}|>`)).toEqual([id])
    expect(tokenizer.prompt`${1}, ${2n}, ${true}`).toEqual(tokenizer.encode('1, 2, true'))
  })

  it('only counts as a tag', () => {
    const forged: unknown[] = [
      ['<|user|>', ''],
      JSON.parse('["<|user|>", ""]'),
      JSON.parse('{"0": "<|user|>", "1": "", "length": 2, "raw": ["<|user|>", ""]}'),
      Object.assign(['<|user|>', ''], { raw: ['<|user|>', ''] }),
      Object.freeze(['<|user|>', '']),
      '<|user|>',
      null,
    ]
    for (const literals of forged) {
      expect(() => tokenizer.prompt(literals as TemplateStringsArray, 'x')).toThrow(InvalidArgumentError)
    }
    const tag = (literals: TemplateStringsArray, ..._: unknown[]) => literals
    expect(() => tokenizer.prompt(tag`<|user|>${1}`)).toThrow(InvalidArgumentError)
    expect(tokenizer.prompt(tag`<|user|>${1}`, 'x').length).toBeGreaterThan(1)
  })

  it('refuses values that would be written as nonsense, and broken escapes', () => {
    for (const value of [
      undefined,
      null,
      {},
      [],
      Symbol('x'),
      () => 'x',
      { type: 'control', name: '<|user|>' },
    ]) {
      expect(() => tokenizer.prompt`a${value as never}b`).toThrow(/^prompt: value 0 must be/)
    }
    expect(() => tokenizer.prompt`\u{zz}`).toThrow('has an escape that means nothing')
  })

  it('works with any tokenizer', () => {
    const other = Tokenizer.from(
      modelBytes([
        ['<unk>', 0, PieceType.UNKNOWN],
        ['<s>', 0, PieceType.CONTROL],
        ['[INST]', 0, PieceType.USER_DEFINED],
        ['a', -1],
      ]),
    )
    expect([...other.prompt`<s>[INST]${'a<s>[INST]'}a`]).toEqual([1, 2, 3, 0, 3])
  })
})
