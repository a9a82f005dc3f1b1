import { describe, expect, it } from 'vitest'
import { TokenizerFileError, UnsupportedTokenizerError } from '../../src/errors.js'
import { compileSplitPattern, type SplitPatternFlavour } from '../../src/load/split-pattern/compile.js'
import binding from '../../src/native.js'

function native(pattern: string, flavour: SplitPatternFlavour = 'oniguruma') {
  return new binding.NativeSplitPattern(compileSplitPattern(pattern, flavour))
}

function matches(pattern: string, text: string, flavour: SplitPatternFlavour = 'oniguruma'): string[] {
  return slices(text, native(pattern, flavour).split(text))
}

function slices(text: string, borders: Uint32Array): string[] {
  return Array.from({ length: borders.length / 2 }, (_, i) => text.slice(borders[i * 2], borders[i * 2 + 1]))
}

const GPT_2 = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"
const CL100K =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
const TIKTOKEN_CL100K =
  "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}++|\\p{N}{1,3}+| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*+|\\s++$|\\s*[\\r\\n]|\\s+(?!\\S)|\\s"

// Expected values are those of Hugging Face tokenizers 0.23.2.
describe('matches', () => {
  it.each([
    [
      GPT_2,
      "we're  here\n\n it\u0085's 12.5",
      ['we', "'re", ' ', ' here', '\n\n', ' it', '\u0085', "'s", ' 12', '.', '5'],
    ],
    [
      CL100K,
      "WE'RE he'ſ 12345 (ok)\r\n\r\n  x",
      ['WE', "'RE", ' he', "'ſ", ' ', '123', '45', ' (', 'ok', ')\r\n\r\n', ' ', ' x'],
    ],
    ['(?i:ss|k)', 'ß ss SS K K', ['ß', 'ss', 'SS', 'K', 'K']],
    ['(?i:[a-f]+)', 'ABC def F0e9 xyz', ['ABC', 'def', 'F', 'e']],
    ['(?>a|ab)c', 'abc ac', ['ac']],
    ['a++ab', 'aaab', []],
    ['[a-w&&[^c-g]]+', 'abch', ['ab', 'h']],
    ['[^\\s[.,]]+', 'ab c.d e,f', ['ab', 'c', 'd', 'e', 'f']],
    ['a{3}+', 'aaaaaa aaaa baaa', ['aaaaaa', 'aaa', 'aaa']],
    ['a{,3}', 'aaaaa b', ['aaa', 'aa', '', '']],
    ['a{2}?', 'aaa', ['aa', '']],
    ['abc\\Z', 'abc\n', ['abc']],
    ['\\s+$', 'trail \rnext \n', [' \n']],
    ['^ ', ' a\n b\r c', [' ', ' ']],
    ['^', 'a\n', ['']],
    ['(?<=[ab]|cd)x', 'ax cdx cx', ['x', 'x']],
    ['(?<!\\n)^ ', '\n \n ', []],
    ['\\bé\\w', 'é éa aé', ['éa']],
    ['([.!])\\1*', '..!!.a', ['..', '!!', '.']],
    ['\\G\\d', '12a34', ['1', '2']],
    ['\\R', '\r\n\n\r', ['\r\n', '\n', '\r']],
    ['\\w', 'z²①', ['z', '²']],
    ['[\\w]', 'z²①', ['z']],
    ['(?:a|b)*?c', 'abac', ['abac']],
    ['😀+|\\x{1F600}', 'a😀😀', ['😀😀']],
  ])('%s in %j', (pattern, text, expected) => {
    expect(matches(pattern, text)).toEqual(expected)
  })

  it('are those of Rust for tiktoken', () => {
    const rust = (pattern: string, text: string) => matches(pattern, text, 'tiktoken')
    expect(rust(TIKTOKEN_CL100K, "it'S  1234 ok \n ")).toEqual([
      'it',
      "'S",
      ' ',
      ' ',
      '123',
      '4',
      ' ok',
      ' \n ',
    ])
    expect(rust('a$', 'a\na')).toEqual(['a'])
    expect(rust('^a', 'a\na')).toEqual(['a'])
    expect(rust('\\p{N}{1,2}+1', '21 121')).toEqual(['121'])
    expect(rust('\\pL+', 'ab1')).toEqual(['ab'])
    expect(rust('\\p{Script=Han}+', 'a漢字')).toEqual(['漢字'])
    expect(rust('\\w+', 'a²\u200d')).toEqual(['a', '\u200d'])
    expect(rust('(?i)straße|K', 'STRASSE STRASSE \u212a')).toEqual(['\u212a'])
  })

  it('have the letters of Unicode 16, whatever Node has', () => {
    expect(matches('\\p{L}', '\u1c89\ua7da')).toEqual(['\u1c89', '\ua7da']) // new in 16
    expect(matches('\\p{L}', '\u088f\u{16ea0}')).toEqual([]) // new in 17
    expect(matches('\\s', '\u0085\u3000\ufeff\u180e')).toEqual(['\u0085', '\u3000'])
  })

  it('take lone surrogates for U+FFFD, and count UTF-16 units', () => {
    expect(Array.from(native('\ufffd').split('😀\ud800a'))).toEqual([2, 3])
  })
})

describe('pieces', () => {
  const BEHAVIOURS = ['removed', 'isolated', 'merged with previous', 'merged with next', 'contiguous']
  it.each([
    [0, false, ['the', 'final', 'countdown']],
    [1, false, ['the', '-', 'final', '-', '-', 'countdown']],
    [2, false, ['the-', 'final-', '-', 'countdown']],
    [3, false, ['the', '-final', '-', '-countdown']],
    [4, false, ['the', '-', 'final', '--', 'countdown']],
    [0, true, ['-', '-', '-']],
  ])('%i, inverted %s', (behaviour, invert, expected) => {
    const text = 'the-final--countdown'
    expect(slices(text, native('-').pieces(text, behaviour, invert)), BEHAVIOURS[behaviour]).toEqual(expected)
  })

  it('of no text are none', () => {
    for (const behaviour of BEHAVIOURS.keys()) {
      for (const invert of [false, true]) expect(native('').pieces('', behaviour, invert).length).toBe(0)
    }
    expect(() => native('a').pieces('a', 5, false)).toThrow(RangeError)
  })
})

describe('what cannot be reproduced', () => {
  it.each([
    ['a\\Kb', '\\K'],
    ['(?~ab)', 'absence function'],
    ['(?<n>a)\\g<n>', 'subroutine'],
    ['\\X', '\\X'],
    ['(?<=a{2,300})b', 'lookbehind'],
    ['(?<=(?>a|ab))b', 'atomic group in a lookbehind'],
    ['(?i:(a)\\1)', 'back reference'],
    ['(?:a?|b){2}', 'counted repetition of what may be empty'],
    ['(?i:[\\p{L}a])', 'names letters'],
    ['\\p{In_Basic_Latin}', 'In_Basic_Latin'],
    ['a(?i)b|c', 'inline flag'],
    ['(?:ab){40000}', 'size'],
    ['a'.repeat(70_000), '70000 characters'],
    ['('.repeat(30_000) + ')'.repeat(30_000), 'nesting'],
  ])('%.30s', (pattern, construct) => {
    const compile = () => compileSplitPattern(pattern, 'oniguruma', 'tokenizer.json')
    expect(compile).toThrow(UnsupportedTokenizerError)
    expect(compile).toThrow(construct)
    expect(compile).toThrow('tokenizer.json')
  })

  it.each(['(?m)a', '[a--b]', '[[:alpha:]]', 'a{,3}', '\\Ka', '(?:a{2}){3}*', '\\p{Script_Extensions=Han}'])(
    'of tiktoken: %s',
    (pattern) => {
      expect(() => compileSplitPattern(pattern, 'tiktoken')).toThrow(UnsupportedTokenizerError)
    },
  )

  it.each(['(a', '[a', 'a**)', '\\p{Nonsense}'])('no pattern: %s', (pattern) => {
    expect(() => compileSplitPattern(pattern, 'oniguruma')).toThrow(TokenizerFileError)
  })

  it('a malformed program', { timeout: 60_000 }, () => {
    const program = compileSplitPattern(CL100K, 'oniguruma')
    const refused = (words: Uint32Array) => {
      try {
        new binding.NativeSplitPattern(words).split("It's 12 am\r\n  and so on, à 한국")
        return false
      } catch (error) {
        expect(error).toMatchObject({ code: 'INVALID_PATTERN' })
        return true
      }
    }
    expect(refused(program)).toBe(false)
    for (let length = 0; length < program.length; length++) refused(program.slice(0, length))
    let count = 0
    for (let i = 0; i < program.length; i++) {
      for (const value of [0, 1, 7, 14, 255, 0xffffffff]) {
        const words = program.slice()
        words[i] = value
        if (refused(words)) count++
      }
    }
    expect(count).toBeGreaterThan(program.length)
    expect(() => new binding.NativeSplitPattern([1] as never)).toThrow(TypeError)
  })
})

it('errors name the place of the pattern, where it has one', () => {
  const compile = (source: string, where?: string) => () =>
    compileSplitPattern(source, 'oniguruma', 'x.json', where)
  expect(compile('[')).toThrow('x.json: split pattern: ')
  expect(compile('[', '$.a.Regex')).toThrow('x.json: $.a.Regex: ')
  expect(compile('(?<!a*)b', '$.a.Regex')).toThrow('x.json: split pattern: $.a.Regex: ')
  expect(compile(`[${'a'.repeat(60_000)}`, '$.a')).toThrow(/^.{0,400}$/)
})

describe('hostile texts of 1 MB', () => {
  const repeat = (text: string) => text.repeat(Math.ceil(1e6 / text.length))
  const texts = ['a', ' ', '\n', '漢', "'", '1', 'ab', ' \n', 'aA1+/'].map(repeat)
  it.each([
    GPT_2,
    CL100K,
    '(a*)*b',
    '(a|a)*b',
    '(?:a*b?)*c',
    '((a|b)*c|d)*e',
    '(?:a+)+x',
    '(?=(?:a|b)*c)x',
    '(?>(?:a|b)*)c',
    'a++b',
    '[ab]*?c',
    '\\s+$',
    '\\s{2,}x|[\\n ]+y',
  ])('%.30s', { timeout: 60_000 }, (pattern) => {
    const ours = native(pattern)
    for (const text of texts) ours.split(text)
  })

  it('a back reference stops with an error instead', () => {
    const ours = native('(a*)*\\1b')
    expect(() => ours.split('a'.repeat(200))).toThrow(expect.objectContaining({ code: 'PATTERN_TOO_SLOW' }))
    expect(ours.split('aab').length).toBe(2)
  })
})
