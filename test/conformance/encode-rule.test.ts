// The encode rule of docs/architecture.md where reserved tokens have flags, on small tokenizers. Harmless parts have the
// ids that `tokenizers` gives for the whole text.
import fc from 'fast-check'
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

  it('is about control tokens beside it, as about their spelling', async () => {
    const { tokenizer, whole, id } = both(
      byteLevelJson({ added: ['<a>', 'foo', { content: 'bar', single_word: true }] }),
    )
    for (const [name, text] of [
      ['<a>', '<a>bar'],
      ['foo', 'foobar'],
      ['<a>', '<a>barfoo'],
    ] as const) {
      const rest = text.slice(name.length)
      const expected = await whole(`x${text}`)
      expect(encode(tokenizer, trusted('x'), control(name), trusted(rest)), text).toEqual(expected)
      expect(encode(tokenizer, 'x', control(name), trusted(rest)), text).toEqual(expected)
    }
    expect(encode(tokenizer, 'x', control('foo'), '', trusted('bar'))).toContain(id('bar'))
    expect(encode(tokenizer, 'x', trusted('bar'), control('foo'))).toEqual(await whole('xbarfoo'))
  })

  it('of ordinary tokens is about all neighbours', async () => {
    const { tokenizer, whole } = both(
      byteLevelJson({ added: ['foo', '<a>', { content: 'bar', single_word: true, special: false }] }),
    )
    for (const [left, right] of [
      ['foo', 'bar'],
      ['<a>', 'bar'],
      ['x', 'bar'],
      ['-', 'bar'],
      ['bar', '-'],
    ] as const) {
      const expected = await whole(left + right)
      expect(encode(tokenizer, trusted(left), right), left).toEqual(expected)
      expect(encode(tokenizer, trusted(left + right), ''), left).toEqual(expected)
    }
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

describe('normalized tokens beside data', () => {
  const sequence = (...normalizers: object[]) => ({ type: 'Sequence', normalizers })
  const [nfkc, lower] = [{ type: 'NFKC' }, { type: 'Lowercase' }]
  const added = [
    { content: '<X>', normalized: true },
    { content: '<|u|>', normalized: true, single_word: true },
    { content: '<é>', normalized: true, lstrip: true, rstrip: true },
    { content: '<raw>' },
    { content: '>y', special: false },
    { content: 'ab', special: false, normalized: true },
  ]
  const pipelines: Readonly<Record<string, TokenizerJson>> = {
    none: byteLevelJson({ added }),
    NFC: byteLevelJson({ added, normalizer: { type: 'NFC' } }),
    NFD: byteLevelJson({ added, normalizer: { type: 'NFD' } }),
    'NFKC, Lowercase': byteLevelJson({ added, normalizer: sequence(nfkc, lower) }),
    'Prepend, Replace': byteFallbackJson({ added }),
    Strip: byteLevelJson({ added, normalizer: { type: 'Strip', strip_left: true, strip_right: true } }),
    'Replace a pattern': byteLevelJson({
      added,
      normalizer: { type: 'Replace', pattern: { Regex: '(?<=>).|y' }, content: '<X>' },
    }),
  }

  it('are found in the normalized form of trusted text', async () => {
    const { tokenizer, whole, id } = both(pipelines['NFKC, Lowercase'] as TokenizerJson)
    for (const spelled of ['<x>', '＜X＞', '＜ｘ＞']) {
      const expected = await whole(`you ${spelled} me`)
      expect(expected).toContain(id('<X>'))
      expect(encode(tokenizer, 'you ', trusted(`${spelled} `), 'me'), spelled).toEqual(expected)
      expect(encode(tokenizer, `you ${spelled} `, trusted('me'))).not.toContain(id('<X>'))
    }
    expect(encode(tokenizer, trusted('＜'), 'X＞')).not.toContain(id('<X>'))
    expect(encode(tokenizer, trusted('＜'), '', trusted('X＞'))).not.toContain(id('<X>'))
  })

  it('part the text where data would keep them from being found', () => {
    const { tokenizer, id } = both(pipelines.NFC as TokenizerJson)
    const [x, u] = [id('<X>'), id('<|u|>')]
    expect(encode(tokenizer, 'a', trusted('<X>'), '\u0338b')).toEqual([
      ...tokenizer.encode('a'),
      x,
      ...tokenizer.encode('\u0338b'),
    ])
    expect(encode(tokenizer, 'a', trusted('<|u|>'), 'b')).toEqual([97, u, 98])
    expect(encode(tokenizer, trusted('<X>'), 'y')).toEqual([x, 121])
    expect(encode(tokenizer, 'a', trusted('<X>-<|u|>'), 'b')).toEqual([97, x, 45, u, 98])
  })

  const fragments = [
    ...[
      '<X>',
      '<x>',
      '＜X＞',
      '<|u|>',
      '<é>',
      '<e\u0301>',
      '<raw>',
      '<',
      'X>',
      '>',
      'x>',
      'y',
      'ab',
      'a',
      '_',
    ],
    ...[' ', '\n', '\u0338', '\u0301', '▁', '｜', '|u|', '你', 'ﬁ', 'İ', ''],
  ]
  const text = fc.array(fc.constantFrom(...fragments), { maxLength: 5 }).map((list) => list.join(''))
  const lists = fc.array(fc.record({ text, data: fc.boolean(), other: text }), { maxLength: 6 })

  it.each(Object.entries(pipelines))('%s: data never make or change a control id', (_, json) => {
    const tokenizer = Tokenizer.from(jsonBytes(json))
    const reserved = new Set(tokenizer.reserved.map(({ id }) => id))
    const controls = (parts: Part[]) => encode(tokenizer, ...parts).filter((id) => reserved.has(id))
    fc.assert(
      fc.property(lists, (list) => {
        const parts = (field: 'text' | 'other') =>
          list.map((part) => (part.data ? part[field] : trusted(part.text)))
        if (list.some(({ data }) => data)) expect(controls(parts('text'))).toEqual(controls(parts('other')))
        expect(controls(list.map((part) => part.text))).toEqual([])
      }),
      { numRuns: 1000 },
    )
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
