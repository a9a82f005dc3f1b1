import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { parseTemplate } from '../../../src/chat/template/parser.js'
import { TemplateError } from '../../../src/errors.js'
import { readGolden } from './golden-file.js'
import { jinjaTree } from './jinja-tree.js'

function failure(source: string): TemplateError {
  try {
    parseTemplate(source)
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

/** The tree of one expression, with classes and fields as arrays. */
function expression(source: string): unknown {
  return JSON.stringify(jinjaTree(parseTemplate(`{{ ${source} }}`)))
}

describe('4,000 random sources, parsed by Jinja2 3.1.6', () => {
  const golden = readGolden<[source: string, hash: string | null][]>('sources.json.gz')

  it('have the same trees, and the same are refused', () => {
    const different = golden.filter(([source, expected]) => hashOfTree(source) !== expected)
    expect(different).toEqual([])
    expect(golden).toHaveLength(4000)
    expect(golden.filter(([, hash]) => hash !== null).length).toBeGreaterThan(1500)
  })

  function hashOfTree(source: string): string | null {
    try {
      const tree = JSON.stringify(jinjaTree(parseTemplate(source)))
      return createHash('sha256').update(tree).digest('hex')
    } catch (error) {
      if (error instanceof TemplateError && error.kind === 'syntax') return null
      throw error
    }
  }
})

describe('odd corners of Jinja2', () => {
  it.each([
    ['-2 ** 2', '(-2) ** 2'],
    ['2 ** 3 ** 2', '(2 ** 3) ** 2'],
    ['a + b ~ c', 'a + (b ~ c)'],
    ['not a == b', 'not (a == b)'],
    ['not a in b and c', '(not (a in b)) and c'],
    ['a if b', '(a if b)'],
    ['a if b else c if d else e', 'a if b else (c if d else e)'],
    ['a is not b', 'not (a is b)'],
    ["a is divisibleby 3 and 'x'", "(a is divisibleby(3)) and 'x'"],
    ['-a | f', '(-a) | f'],
    ["'a' 'b' ''", "'ab'"],
    ['a.0.b', '(a[0]).b'],
    ['a | f(1) | g', '(a | f(1)) | g'],
  ])('%s is %s', (source, meaning) => {
    expect(expression(source)).toBe(expression(meaning))
  })

  it('words are names where nothing else can stand', () => {
    expect(expression('if')).toContain('["name","if"]')
    expect(expression('a + not')).toContain('["name","not"]')
  })
})

describe('refused, with the place and what was expected', () => {
  it.each([
    ['{{ }}', "line 1, column 4: expected an expression but found '}}'"],
    ['{{ a b }}', "line 1, column 6: expected '}}' but found 'b'"],
    [
      'a\n{% if x %}',
      "line 2, column 11: expected '{% elif %}' or '{% else %}' or '{% endif %}' for '{% if %}' but found the end",
    ],
    ['{% for x of y %}{% endfor %}', "column 10: expected 'in' but found 'of'"],
    ['{% endif %}', "column 4: expected the name of a tag but found 'endif'"],
    [
      '{% if x %}{% endfor %}',
      "column 14: expected the name of a tag or 'elif' or 'else' or 'endif' but found 'endfor'",
    ],
    ['{% do x %}', "expected the name of a tag but found 'do'"],
    ['{% 1 %}', 'expected the name of a tag but found a whole number'],
    ['{% set true = 1 %}', 'expected a name to assign to but found another expression'],
    ['{% set a.b.c = 1 %}', "expected '%}' but found '.'"],
    ['{% for a.b in c %}{% endfor %}', "expected 'in' but found '.'"],
    ['{% macro none() %}{% endmacro %}', "expected a name but found the constant 'none'"],
    ['{% macro f(a=1, b) %}{% endmacro %}', "expected a default for the parameter 'b'"],
    ['{% call a %}{% endcall %}', 'expected a call but found another expression'],
    ['{{ f(a=1, 2) }}', 'expected positional arguments earlier'],
    ['{{ f(*a, *b) }}', "expected one '*' argument earlier"],
    ['{{ a is b is c }}', "expected one test but found another 'is'"],
    ['{{ a[1:2, 3] }}', 'expected a slice to stand alone'],
    ['{{ a.1.5.x.', 'expected a name or a whole number but found the end of the template'],
    ['{% block x %}{% endblock %}', "found 'block', which they cannot use"],
    ["{% from 'a' import _b %}", "expected a name that does not begin with '_'"],
  ])('%s', (source, message) => {
    const error = failure(source)
    expect(error.message).toContain(message)
    expect(error).toMatchObject({ code: 'TEMPLATE', kind: 'syntax' })
  })
})

describe('hostile sources', () => {
  const MANY = 60_000
  it.each([
    ['brackets', `{{ ${'('.repeat(MANY)}`],
    ['lists', `{{ ${'['.repeat(MANY)}`],
    ['dicts', `{{ ${'{1:'.repeat(MANY)}`],
    ['calls', `{{ ${'a('.repeat(MANY)}`],
    ['subscripts', `{{ ${'a['.repeat(MANY)}`],
    ['not', `{{ ${'not '.repeat(MANY)}`],
    ['signs', `{{ ${'- '.repeat(MANY)}`],
    ['sums', `{{ a${' + a'.repeat(MANY)}`],
    ['powers', `{{ a${' ** a'.repeat(MANY)}`],
    ['or', `{{ a${' or a'.repeat(MANY)}`],
    ['filters', `{{ a${'|f'.repeat(MANY)}`],
    ['attributes', `{{ a${'.b'.repeat(MANY)}`],
    ['conditions', `{{ ${'a if b else '.repeat(MANY)}`],
    ['conditions without else', `{{ a${' if b'.repeat(MANY)}`],
    ['tests', `{{ a${' is b(a'.repeat(MANY)}`],
    ['blocks', '{% if a %}'.repeat(MANY)],
    ['loops', '{% for a in b %}'.repeat(MANY)],
    ['set blocks', '{% set a %}'.repeat(MANY)],
    ['targets', `{% set ${'('.repeat(MANY)}`],
  ])('%s inside each other are refused', (_what, source) => {
    expect(failure(source).reason).toMatch(
      /at most (250 brackets|a syntax tree at most 500)|at most 500 nodes/,
    )
  })

  it('as deep as Jinja2 can go is read', () => {
    for (const source of [
      `${'('.repeat(200)}a${')'.repeat(200)}`,
      `a${' + a'.repeat(490)}`,
      `${'not '.repeat(240)}a`,
    ]) {
      expect(() => parseTemplate(`{{ ${source} }}`)).not.toThrow()
    }
  })

  it('long ones are read in one go', () => {
    for (const source of [
      `{{ a${' ~ a'.repeat(MANY)} }}`,
      `{{ a${' < a'.repeat(MANY)} }}`,
      `{{ [${'a, '.repeat(MANY)}] }}`,
      `{{ ${"'a' ".repeat(MANY)} }}`,
      `{{ 1${'_1'.repeat(1000)} }}`,
      `{{ '${'\\n'.repeat(MANY)}' }}`,
      `{% if a %}${'{% elif a %}'.repeat(MANY)}{% endif %}`,
      '{{ a }}\n'.repeat(MANY),
      `${' '.repeat(MANY)}{% set a = 1 %}`,
      `${'{ '.repeat(MANY)}{ {`,
      `{% raw %}${'{% '.repeat(MANY)}{% endraw %}`,
      `{#${'-'.repeat(MANY)}#}`,
      '\r'.repeat(MANY),
    ]) {
      expect(() => parseTemplate(source)).not.toThrow()
    }
    for (const source of [
      '{#'.repeat(MANY),
      "{{ '".repeat(MANY),
      '{% raw %}'.repeat(MANY),
      '{{'.repeat(MANY),
    ]) {
      expect(failure(source).kind).toBe('syntax')
    }
  })

  it('over 2 ** 20 units are refused', () => {
    expect(failure(' '.repeat(2 ** 20 + 1)).reason).toContain('at most 1048576')
  })
})
