// The encode rule of docs/architecture.md where reserved tokens have flags, on small tokenizers. Harmless parts have the
// ids that `tokenizers` gives for the whole text.
import { describe, expect, it } from 'vitest'
import { control, type Part, trusted } from '../../src/prompt/parts.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { byteFallbackJson, byteLevelJson, jsonBytes, type TokenizerJson } from '../fixtures/tokenizer-json.js'
import { huggingFace, realTokenizer } from './tokenizers.js'

interface Both {
  readonly tokenizer: Tokenizer
  readonly whole: (text: string) => Promise<number[] | undefined>
  readonly id: (name: string) => number
}

function both(json: TokenizerJson): Both {
  const tokenizer = Tokenizer.from(jsonBytes(json))
  const reference = huggingFace(json)
  return {
    tokenizer,
    whole: async (text) => (await reference.encode([text]))[0],
    id: (name) => tokenizer.getCommand(name),
  }
}

const encode = (tokenizer: Tokenizer, ...parts: Part[]): number[] => [...tokenizer.encode(parts)]

describe('single_word', () => {
  const { tokenizer, whole, id } = both(byteLevelJson({ added: [{ content: '<X>', single_word: true }] }))

  it('is about trusted neighbours, as in the reference', async () => {
    for (const text of [
      '<X>',
      ' <X> ',
      'a<X>',
      '<X>a',
      '_<X>',
      '<X>語',
      'abq語<X>',
      '.<X>.',
      '<X>\u0301',
      '\u200d<X>',
    ]) {
      expect(encode(tokenizer, trusted(text)), text).toEqual(await whole(text))
    }
    expect(encode(tokenizer, trusted('a<X>'))).not.toContain(id('<X>'))
  })

  it('cannot be suppressed by data', () => {
    for (const data of ['a', '_', '語', '\u0301', '1', '\u200d']) {
      expect(encode(tokenizer, trusted('<X>'), data)).toContain(id('<X>'))
      expect(encode(tokenizer, data, trusted('<X>'))).toContain(id('<X>'))
      expect(encode(tokenizer, data, trusted('<X>'), data)).toContain(id('<X>'))
    }
  })
})

describe('a normalized token under NFC', () => {
  const json = byteLevelJson({
    normalizer: { type: 'NFC' },
    added: [{ content: '<|u|>', normalized: true }],
  })
  const { tokenizer, whole, id } = both(json)

  it('is not composed with the data behind it', () => {
    expect(encode(tokenizer, trusted('<|u|>'), '\u0338')).toEqual([
      id('<|u|>'),
      ...tokenizer.encode('\u0338'),
    ])
  })

  it('is not there where trusted text composes with it', async () => {
    expect(encode(tokenizer, trusted('<|u|>\u0338'))).toEqual(await whole('<|u|>\u0338'))
  })

  it('is not there in data, composed or not', () => {
    for (const data of ['<|u|>', '<|u|>\u0338', '<|u≯', '＜|u|>']) {
      expect([...tokenizer.encode(data)]).not.toContain(id('<|u|>'))
    }
  })
})

describe('normalized tokens in trusted text that the normalizer changes', () => {
  it('are found in their normalized form', async () => {
    const { tokenizer, whole } = both(
      byteLevelJson({
        normalizer: { type: 'Sequence', normalizers: [{ type: 'NFKC' }, { type: 'Lowercase' }] },
        added: [{ content: '<X>', normalized: true }],
      }),
    )
    for (const text of ['<x>', '＜X＞']) {
      expect(encode(tokenizer, trusted(text)), text).toEqual(await whole(text))
    }
  })

  it('have the prefix of the normalizer', async () => {
    const { tokenizer, whole } = both(byteFallbackJson({ added: [{ content: '<X>', normalized: true }] }))
    for (const text of ['<X>b', 'a<X>']) {
      expect(encode(tokenizer, trusted(text)), text).toEqual(await whole(text))
    }
  })

  it('are text in data all the same', () => {
    for (const normalizer of [{ type: 'NFKC' }, { type: 'NFC' }, { type: 'NFD' }, { type: 'Lowercase' }]) {
      const { tokenizer, id } = both(
        byteLevelJson({ normalizer, added: [{ content: '<|u|>', normalized: true }] }),
      )
      for (const data of ['<|u|>', '＜|u|＞', '<|U|>', '＜｜ｕ｜＞', 'a<|u|>b']) {
        expect([...tokenizer.encode(data)]).not.toContain(id('<|u|>'))
      }
    }
  })
})

describe('lstrip and rstrip', () => {
  const phi3 = both(
    byteFallbackJson({
      added: ['<|user|>', '<|end|>', '<|assistant|>'].map((content) => ({ content, rstrip: true })),
    }),
  )

  it('absorb white space as the reference does (Phi-3)', async () => {
    const { tokenizer, whole } = phi3
    for (const text of [
      '<|user|>\nhello',
      '<|user|> \n\u0085 hello <|end|> \nhello',
      'hello <|end|>',
      '<|user|>\u200bh',
    ]) {
      expect(encode(tokenizer, trusted(text)), text).toEqual(await whole(text))
    }
  })

  it('absorb that of data', async () => {
    const { tokenizer, whole } = phi3
    const parts = [trusted('<|user|>\n'), '\n hello', trusted('<|end|>\n<|assistant|>')]
    expect(encode(tokenizer, ...parts)).toEqual(await whole('<|user|>\n\n hello<|end|>\n<|assistant|>'))
    expect(encode(tokenizer, trusted('<|user|>'), ' ', ' hello')).toEqual(await whole('<|user|>  hello'))
  })

  it('absorb white space up to the next token', async () => {
    const { tokenizer, whole } = phi3
    for (const text of ['<|user|><|end|> hello', '<|user|> <|end|>', '<|assistant|><|end|>\n<|user|>hello']) {
      expect(encode(tokenizer, trusted(text)), text).toEqual(await whole(text))
    }
  })

  it('absorb it on both sides', async () => {
    const { tokenizer, whole } = both(
      byteLevelJson({ added: [{ content: '[MASK]', lstrip: true, rstrip: true }, '<s>'] }),
    )
    for (const text of [
      'hello [MASK] hello',
      '[MASK]  [MASK]',
      ' [MASK]',
      '<s> [MASK]\u3000<s>',
      'a\ufeff[MASK]',
    ]) {
      expect(encode(tokenizer, trusted(text)), text).toEqual(await whole(text))
    }
    expect(encode(tokenizer, 'hello ', trusted('[MASK]'), ' hello')).toEqual(
      await whole('hello [MASK] hello'),
    )
  })

  it('leave tokens of white space that come first', async () => {
    const { tokenizer, whole } = both(
      byteLevelJson({
        added: [
          { content: '[MASK]', lstrip: true },
          { content: '\n', special: false },
        ],
      }),
    )
    expect(encode(tokenizer, trusted('\n[MASK]'))).toEqual(await whole('\n[MASK]'))
  })

  it('of ordinary tokens leave tokens of white space', async () => {
    const { tokenizer, whole } = both(
      byteLevelJson({ added: ['ab', '\n'].map((content) => ({ content, rstrip: true, special: false })) }),
    )
    expect(encode(tokenizer, trusted('ab\n'))).toEqual(await whole('ab\n'))
  })
})

describe('tokens of ordinary text', () => {
  const newlines = ['\n', '\n\n', '\n\n\n', '  '].map((content) => ({ content, special: false }))
  const { tokenizer, whole, id } = both(byteFallbackJson({ added: ['<start_of_turn>', ...newlines] }))

  it('are found across the borders of trusted text and data', async () => {
    const text = '<start_of_turn>user\n\n\n\n hello'
    const expected = await whole(text)
    const characters = Array.from(text)
    for (let cut = 15; cut < characters.length; cut++) {
      const [left, right] = [text.slice(0, cut), text.slice(cut)]
      expect(encode(tokenizer, trusted(left), right), `${left}|${right}`).toEqual(expected)
    }
    expect(encode(tokenizer, trusted('<start_of_turn>user\n'), '\n', '', '\n', trusted('\n hello'))).toEqual(
      expected,
    )
  })

  it('are so in Gemma 2', { timeout: 30_000 }, async () => {
    const real = realTokenizer('gemini')
    const bytes = real.read() as Uint8Array
    const gemma = real.load(bytes)
    const [expected] = await real
      .reference(bytes)
      .encode(['<start_of_turn>user\n\n\n\nhello  \t\t you\n<end_of_turn>\n'])
    const parts = [
      trusted('<start_of_turn>user\n'),
      '\n\n',
      '\nhello ',
      ' \t',
      '\t you',
      trusted('\n<end_of_turn>\n'),
    ]
    expect(encode(gemma, ...parts)).toEqual(expected)
  })

  it('are no control tokens', () => {
    expect(tokenizer.reserved.map(({ name }) => name)).toEqual(['<start_of_turn>'])
    expect(id('<start_of_turn>')).toBeGreaterThan(0)
  })
})

describe('empty data', () => {
  const { tokenizer, whole, id } = both(byteLevelJson({ added: ['<|u|>'] }))

  it('is a barrier for control tokens', () => {
    expect(encode(tokenizer, trusted('<|u'), '', trusted('|>'))).not.toContain(id('<|u|>'))
    expect(encode(tokenizer, trusted('<|u'), trusted('|>'))).toEqual([id('<|u|>')])
  })

  it('is none for ordinary text', async () => {
    const expected = await whole('hello world')
    expect(encode(tokenizer, '', trusted('hel'), '', 'lo', '', trusted(' wor'), '', 'ld', '')).toEqual(
      expected,
    )
    expect(encode(tokenizer, '')).toEqual([])
    expect(encode(tokenizer, '', trusted(''), '')).toEqual([])
  })

  it('leaves a lone surrogate alone', () => {
    const lone = [...tokenizer.encode('\ufffd')]
    expect(encode(tokenizer, '\ud83d', '', '\ude00')).toEqual([...lone, ...lone])
    expect(encode(tokenizer, trusted('\ud83d'), trusted('\ude00'))).toEqual([...lone, ...lone])
  })
})

describe('control()', () => {
  it('stands where its spelling would', async () => {
    for (const make of [byteLevelJson, byteFallbackJson]) {
      const { tokenizer, whole, id } = both(make({ added: ['<|u|>', { content: '<|r|>', rstrip: true }] }))
      for (const name of ['<|u|>', '<|r|>']) {
        const expected = await whole(`hello${name} hello`)
        expect(encode(tokenizer, 'hello', control(name), ' hello')).toEqual(expected)
        expect(encode(tokenizer, 'hello', trusted(name), ' hello')).toEqual(expected)
        expect(expected).toContain(id(name))
      }
    }
  })
})

describe('byte fallback', () => {
  it('cannot be spelled, and unk cannot be reached', async () => {
    const { tokenizer, whole } = both(byteFallbackJson({ added: ['<unk>', '<s>'] }))
    for (const text of ['<0x0A>', '\n', 'ж', '\0', '\ud83d', '▁', ' ', '  ', 'hello<unk']) {
      const ids = [...tokenizer.encode(text)]
      expect(ids, text).toEqual(await whole(text.toWellFormed()))
      expect(ids).not.toContain(0)
    }
    expect([...tokenizer.encode('<unk>')]).not.toContain(0)
    expect(await whole('<unk>')).toEqual([0])
  })
})

describe('a reserved token that merges lead to', () => {
  const merges = ['< |', '| >', '<| u', '<|u |>', '<|u|> x']
  // Without GPT-2's pattern, which would part the name into three words.
  const preTokenizer = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false }
  const json = (added: string[], ignore_merges = false) =>
    byteLevelJson({ merges, added, preTokenizer, model: { ignore_merges } })
  const spelled = (tokenizer: Tokenizer, text: string) =>
    [...tokenizer.encode(text)].map((id) => tokenizer.idToToken(id))

  it.each([false, true])('is taken apart, ignore_merges: %s', (ignoreMerges) => {
    expect(spelled(Tokenizer.from(jsonBytes(json([], ignoreMerges))), '<|u|>')).toEqual(['<|u|>'])
    const tokenizer = Tokenizer.from(jsonBytes(json(['<|u|>'], ignoreMerges)))
    const id = tokenizer.getCommand('<|u|>')
    expect(spelled(tokenizer, '<|u|>')).toEqual(['<|u', '|>'])
    for (const text of ['<|u|>', 'he<|u|>ll', '<|u|><|u|>', '<|u|>y', ' <|u|>']) {
      const ids = [...tokenizer.encode(text)]
      expect(ids, text).not.toContain(id)
      expect(tokenizer.decode(ids)).toBe(text)
      expect(encode(tokenizer, trusted(text))).toContain(id)
    }
  })

  it('may be a step of a merge', async () => {
    expect(await both(json([])).whole('<|u|>x')).toHaveLength(1)
    expect(spelled(Tokenizer.from(jsonBytes(json(['<|u|>']))), '<|u|>x')).toEqual(['<|u|>x'])
  })
})

describe('the policy all-added', () => {
  it('reserves added tokens that are ordinary text', { timeout: 30_000 }, () => {
    const tokenizer = Tokenizer.from(realTokenizer('gemini').read() as Uint8Array, { reserve: 'all-added' })
    const reserved = new Set(tokenizer.reserved.map(({ id }) => id))
    expect(reserved.size).toBeGreaterThan(200)
    for (const { name } of tokenizer.reserved) {
      for (const text of [name, `a${name}b`, name + name, ` ${name}\n\n`]) {
        const ids = [...tokenizer.encode(text)]
        expect(
          ids.filter((id) => reserved.has(id)),
          text,
        ).toEqual([])
        expect(tokenizer.decode(ids)).toBe(text.replaceAll('▁', ' '))
      }
    }
  })
})
