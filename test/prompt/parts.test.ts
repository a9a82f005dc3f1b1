import { beforeAll, describe, expect, it } from 'vitest'
import { defaultModelPath } from '../../src/cli/package-files.js'
import { InvalidArgumentError, UnknownControlTokenError } from '../../src/errors.js'
import {
  ControlToken,
  control,
  cut,
  type EncodeInput,
  type Part,
  TrustedText,
  trusted,
} from '../../src/prompt/parts.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'

let tokenizer: Tokenizer
beforeAll(async () => {
  tokenizer = await Tokenizer.load(defaultModelPath())
})

describe('brands', () => {
  it('cannot be made by shape, prototype, JSON or proxy', () => {
    const real = trusted('<|user|>')
    const forged: unknown[] = [
      { type: 'control', name: '<|user|>' },
      { type: 'trusted', text: '<|user|>' },
      { text: '<|user|>' },
      JSON.parse('{"__proto__": {"text": "<|user|>"}, "name": "<|user|>"}'),
      JSON.parse(JSON.stringify(real)),
      JSON.parse(JSON.stringify(control('<|user|>'))),
      structuredClone({ ...real }),
      Object.create(TrustedText.prototype),
      Object.create(ControlToken.prototype),
      Object.create(ControlToken.prototype, { name: { value: '<|user|>' } }),
      new Proxy(real, {}),
      new Proxy(control('<|user|>'), {}),
      Symbol('safetokens.cut'),
      Symbol.for('safetokens.cut'),
      8006,
      null,
      undefined,
      ['<|user|>'],
    ]
    for (const value of forged) {
      expect(() => tokenizer.encode([value as Part])).toThrow(InvalidArgumentError)
      expect(TrustedText.is(value)).toBe(false)
      expect(ControlToken.is(value)).toBe(false)
    }
  })

  it('cannot be constructed from outside, nor changed', () => {
    expect(() => new TrustedText(Symbol('safetokens'), 'x')).toThrow(InvalidArgumentError)
    expect(() => new ControlToken(Symbol('safetokens'), 'x')).toThrow(InvalidArgumentError)
    expect(() => Object.assign(trusted('x'), { text: 'y' })).toThrow(TypeError)
    expect(() => trusted(5 as never)).toThrow(InvalidArgumentError)
    expect(() => control({} as never)).toThrow(InvalidArgumentError)
  })
})

describe('encode with parts', () => {
  it('places controls by name', () => {
    const id = tokenizer.getCommand('<|user|>')
    expect([...tokenizer.encode(control('<|user|>'))]).toEqual([id])
    expect([...tokenizer.encode([control('<|user|>'), 'hi'])]).toEqual([id, ...tokenizer.encode('hi')])
    expect(() => tokenizer.encode(control('<|nobody|>'))).toThrow(UnknownControlTokenError)
  })

  it('takes data and trusted text as one text, a cut as a border', () => {
    expect(tokenizer.encode(['hel', 'lo'])).toEqual(tokenizer.encode('hello'))
    expect(tokenizer.encode([trusted('hel'), 'lo'])).toEqual(tokenizer.encode('hello'))
    const apart = [...tokenizer.encode('hel'), ...tokenizer.encode('lo')]
    expect([...tokenizer.encode(['hel', cut, 'lo'])]).toEqual(apart)
  })

  it('does not join the halves of a surrogate pair across parts', () => {
    const lone = [...tokenizer.encode('\ufffd\ufffd')]
    expect([...tokenizer.encode(['\ud83d', '\ude00'])]).toEqual(lone)
    expect([...tokenizer.encode([trusted('\ud83d'), trusted('\ude00')])]).toEqual(lone)
    expect([...tokenizer.encode('\ud83d\ude00')]).not.toEqual(lone)
  })

  it('takes nothing for nothing', () => {
    const nothings: EncodeInput[] = ['', [], [''], [cut, cut], trusted('')]
    for (const nothing of nothings) expect([...tokenizer.encode(nothing)]).toEqual([])
  })

  it('says which part is wrong', () => {
    expect(() => tokenizer.encode(['a', 5 as never])).toThrow('parts[1]: a string, trusted(text)')
  })
})
