import { describe, expect, it } from 'vitest'
import { type Token, tokenize } from '../../../src/chat/template/lexer.js'
import { SourceText } from '../../../src/chat/template/source-text.js'
import { TemplateError } from '../../../src/errors.js'

function tokens(source: string): Token[] {
  return [...tokenize(new SourceText(source))]
}

/** Types, and values where there are any; without the end. */
function brief(source: string): unknown[] {
  return tokens(source)
    .slice(0, -1)
    .map(({ type, value }) => (value === undefined ? type : [type, value]))
}

function values(expression: string): unknown[] {
  return tokens(`{{ ${expression} }}`)
    .slice(1, -2)
    .map(({ type, value }) => value ?? type)
}

/** The text that is left around tags. */
function data(source: string): string {
  return tokens(source)
    .map(({ type, value }) => (type === 'data' ? value : ''))
    .join('')
}

function failure(source: string): TemplateError {
  try {
    tokens(source)
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('tags', () => {
  it('divide the template', () => {
    expect(brief('a{{ b }}c{% if d %}e{# f #}g')).toEqual([
      ['data', 'a'],
      'variable_begin',
      ['name', 'b'],
      'variable_end',
      ['data', 'c'],
      'block_begin',
      ['name', 'if'],
      ['name', 'd'],
      'block_end',
      ['data', 'e'],
      ['data', 'g'],
    ])
  })

  it('end only where all brackets are closed and outside of strings', () => {
    expect(brief("{{ {'a': {}}}}")).toEqual([
      'variable_begin',
      ...['{', ['string', 'a'], ':', '{', '}', '}'],
      'variable_end',
    ])
    expect(values("'}} %}' ~ [1]")).toEqual(['}} %}', '~', '[', 1n, ']'])
  })

  it('may be written apart', () => {
    expect(data('{ { a } } { % %} #}')).toBe('{ { a } } { % %} #}')
  })
})

describe('white space', () => {
  // Each line is what Jinja2 3.1.6 leaves with trim_blocks and lstrip_blocks.
  it.each([
    ['a\n  {% if x %}\nb\n  {% endif %}\nc', 'a\nb\nc'],
    ['a  {% if x %}\n\nb', 'a  \nb'],
    ['  {% x %}', ''],
    ['  {{ x }}\na', '  \na'],
    ['a\n {{- x -}} \n b', 'ab'],
    ['a \n {%- x -%} \n b', 'ab'],
    ['a\n  {%+ x +%}\nb', 'a\n  \nb'],
    ['a\n  {# c #}\nb', 'a\nb'],
    ['a \n{#- c -#}\n b', 'ab'],
    ['a\n  {#+ c +#}\nb', 'a\n  \nb'],
    ['a{##}\nb{#-#}c', 'abc'],
    ['{% x %}\n  {% y %}z', 'z'],
    ['{{ x }}  {% y %}z', '  z'],
    ['\u00a0\u2028\x1c{% x %}a', 'a'],
    ['\ufeff{% x %}a', '\ufeffa'],
    ['a\n', 'a'],
    ['a\n\n', 'a\n'],
    ['a\r\nb\rc\n', 'a\nb\nc'],
    ['\n', ''],
    ['', ''],
  ])('%j becomes %j', (source, text) => {
    expect(data(source)).toBe(text)
  })
})

describe('raw blocks', () => {
  it.each([
    ['{% raw %}{{ a }}{% b %}{# c #}{% endraw %}', '{{ a }}{% b %}{# c #}'],
    ['{% raw %}\n a \n  {% endraw %}\nb', '\n a \nb'],
    ['x {%- raw -%} \n a {%- endraw -%} \n b', 'xab'],
    ['{% raw %} a {%+ endraw +%}\nb', ' a \nb'],
    ['{%raw%}{% endra %}{%endraw%}', '{% endra %}'],
  ])('%j becomes %j', (source, text) => {
    expect(data(source)).toBe(text)
  })

  it('begin without +', () => {
    expect(brief('{% raw +%}')).toEqual(['block_begin', ['name', 'raw'], 'block_end'])
  })

  it('must end, but may begin at the very end, as comments may', () => {
    expect(failure('a\n {% raw %}b').message).toBe(
      "template line 2, column 2: expected '{% endraw %}' for this raw block but found none",
    )
    expect(failure('a{# b').message).toBe(
      "template line 1, column 2: expected '#}' for this comment but found none",
    )
    expect(data('a{% raw %}\n')).toBe('a')
    expect(data('a{#-')).toBe('a')
  })
})

describe('numbers', () => {
  it.each<[string, unknown[]]>([
    ['1_000', [1000n]],
    ['0xfF_1 0b1_01 0o17', [0xff1n, 5n, 15n]],
    ['00 0_0', [0n, 0n]],
    ['12345678901234567890123', [12345678901234567890123n]],
    ['1.5 1e3 1.5E-2 1_0.2_5', [1.5, 1000, 0.015, 10.25]],
    ['1.5.5', [1.5, '.', 5n]],
    ['a.1.5', ['a', '.', 1n, '.', 5n]],
    ['1. 1.e5', [1n, '.', 1n, '.', 'e5']],
    ['01 1__2 0x', [0n, 1n, 1n, '__2', 0n, 'x']],
    ['1e999', [Number.POSITIVE_INFINITY]],
    ['1٢ 0x٣', [12n, 3n]],
  ])('%s', (expression, expected) => {
    expect(values(expression)).toEqual(expected)
  })

  it('have at most 4,300 digits, as in Python', () => {
    expect(values('9'.repeat(4300))).toEqual([10n ** 4300n - 1n])
    expect(failure(`{{ ${'9'.repeat(4301)} }}`).reason).toContain('at most 4300 digits')
    expect(failure('{{ 1.٣ }}').reason).toContain('ASCII digits')
    expect(failure('{{ ٣ }}').reason).toContain('found "٣"')
  })
})

describe('strings', () => {
  it.each([
    [String.raw`'\n\t\\\'\"\a\b\f\r\v'`, '\n\t\\\'"\x07\b\f\r\v'],
    [String.raw`'\x41\u00e9\U0001F600\101\0\400'`, 'A\u00e9\u{1f600}A\0\u0100'],
    [String.raw`'\q\8\-'`, String.raw`\q\8\-`],
    ["'a\\\nb'", 'ab'],
    ["'a\r\nb'", 'a\nb'],
    // Jinja2 spells what is not ASCII before it reads the escapes.
    [String.raw`'é\é\你\😀'`, String.raw`é\xe9\u4f60\U0001f600`],
    ['"\'"', "'"],
  ])('%s', (literal, value) => {
    expect(values(literal)).toEqual([value])
  })

  it.each([
    [String.raw`'\x4'`, '2 hexadecimal digits after \\x but found "4"'],
    [String.raw`'\u12é4'`, '4 hexadecimal digits'],
    [String.raw`'\U00110000'`, 'a Unicode character but found \\U00110000'],
    [String.raw`'\N{BULLET}'`, 'names of characters are not known'],
    ["'a", 'expected an expression but found "\'"'],
  ])('%s is refused', (literal, reason) => {
    expect(failure(`{{ ${literal} }}`).reason).toContain(reason)
  })
})

describe('names and operators', () => {
  it('are those of Python', () => {
    expect(values('_a é名 x1 //**==!=>=<= + -/*%~[]()>< =.:|,;')).toEqual([
      ...['_a', 'é名', 'x1', '//', '**', '==', '!=', '>=', '<=', '+', '-', '/', '*', '%', '~'],
      ...['[', ']', '(', ')', '>', '<', '=', '.', ':', '|', ',', ';'],
    ])
  })

  it.each([
    ['{{ a @ b }}', 'found "@"'],
    ['{{ a ! b }}', 'found "!"'],
    ['{{ 😀 }}', 'found "😀"'],
    ['{{ (a] }}', "expected ')' but found ']'"],
    ['{{ a) }}', "expected no closing bracket but found ')'"],
    ['{% a }} %}', "found '}'"],
  ])('%s is refused', (source, reason) => {
    expect(failure(source).reason).toContain(reason)
  })
})

describe('positions', () => {
  it('are those of the source as it was given', () => {
    const source = 'é\r\n\r\n  {{ a\r  ~ "😀" + b }}'
    for (const { value, position } of tokens(source)) {
      if (typeof value === 'string' && value !== 'é\n\n  ' && value !== '😀') {
        expect(source.slice(position.offset, position.offset + value.length)).toBe(value)
      }
    }
    const last = tokens(source).find(({ value }) => value === 'b')
    expect(last?.position).toEqual({ line: 4, column: 12, offset: source.indexOf('b') })
  })
})
