// Hostile templates: each is stopped by a typed error before it costs much. Nothing here is timed; a template that is
// not stopped runs into the time limit of the test.
import { describe, expect, it } from 'vitest'
import type { TemplateLimits } from '../../../src/chat/template/limits.js'
import { compileTemplate } from '../../../src/chat/template/template.js'
import { TemplateError } from '../../../src/errors.js'

const text = 'x<y>&'.repeat(100_000)
const context = {
  ...{ text, other: `${text}z`, emoji: '😀'.repeat(100_000), d: 'data', digits: '1'.repeat(100_000) },
  white: ' '.repeat(500_000),
  rows: Array.from({ length: 1000 }, (_, i) => ({ a: `k${i % 10}` })),
}

/** `ok` and the length of the output, or the kind of the error. */
function outcome(source: string, limits: TemplateLimits = {}): string {
  try {
    return `ok ${compileTemplate(source).render(context, { limits }).text.text.length}`
  } catch (error) {
    expect(error).toBeInstanceOf(TemplateError)
    return (error as TemplateError).kind
  }
}

const each = (body: string): string => `{% for i in range(100000) %}${body}{% endfor %}`
const grow = (start: string, step: string, end = '', times = 200): string =>
  `{% set ns = namespace(s=${start}) %}{% for i in range(${times}) %}{% set ns.s = ${step} %}{% endfor %}${end}`

describe('stopped by a limit', () => {
  it.each([
    '{% for i in range(2000) %}{% for j in range(1000) %}a{% endfor %}{% endfor %}',
    each(each('')),
    grow("'a'", 'ns.s ~ ns.s'),
    grow('d', "ns.s ~ 'x' ~ ns.s", '{{ ns.s }}'),
    grow('[1]', 'ns.s + ns.s'),
    grow('[1]', '[ns.s, ns.s]', '{{ ns.s }}'),
    grow('[1]', '[ns.s, ns.s]', '{{ ns.s|tojson }}'),
    grow('[1]', '[ns.s, ns.s]', '{{ ns.s|pprint }}'),
    grow('(1,)', '(ns.s, ns.s)', '{{ {ns.s: 1} }}'),
    '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}',
    '{% macro m(n) %}{{ m(n + 1)|upper }}{% endmacro %}{{ m(0) }}',
    '{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(150) }}',
    '{% macro m() %}{% call m() %}{{ caller() }}{% endcall %}{% endmacro %}{{ m() }}',
    '{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}',
    '{% set ns = namespace() %}{% set ns.x = ns %}{{ ns }}',
    "{{ 'a' * 10 ** 9 }}",
    '{{ ([1] * 10 ** 9)|length }}',
    "{{ 'a'|center(10 ** 9) }}{{ 'a'.zfill(10 ** 9) }}",
    "{{ '%1000000000d' % 1 }}",
    "{{ '{:>1000000000}'.format('a') }}",
    "{{ '%.1000000000f' % 1.5 }}",
    "{{ ('\\t' * 1000).expandtabs(10 ** 8) }}",
    "{{ ('a\\n' * 1000)|indent(10 ** 8) }}",
    '{{ [1]|batch(10 ** 9, 0)|list|length }}',
    '{{ [1]|slice(10 ** 9)|list|length }}',
    '{{ range(100000)|list|join(text) }}',
    "{{ strftime_now('%9999d' * 10000) }}",
    ...[
      "{% if 'zz' in text %}{% endif %}",
      '{% if text < other %}{% endif %}',
      '{% if text == other ~ i %}{% endif %}{% set x = text|upper %}',
      "{% set x = text.split('x') %}",
      '{% set x = text|list %}',
      '{% set x = text|replace("x", "yyyy") %}',
      '{% set x = text|title %}',
      '{% set x = text|e %}',
      '{% set x = text|tojson %}',
      '{% set x = [text]|string %}',
      '{% set x = text|wordwrap(3) %}',
      '{% set x = text|wordcount %}',
      '{% set x = text|sort %}',
      '{% set x = text|unique|list %}',
      '{% set x = text|urlencode %}',
      '{% set x = text.islower() %}',
      '{% set x = text.translate({120: "yyy"}) %}',
      '{% set x = white|trim %}',
      '{% set x = emoji[::-1] %}',
      '{% set x = "%s-" % text %}',
      '{% set x = rows|groupby("a") %}',
      '{% set x = text|striptags %}',
      '{% set x = text|urlize %}',
      '{% set x = text|pprint %}',
      '{% set x = digits|int %}',
    ].map(each),
  ])('%s', { timeout: 30_000 }, (source) => {
    expect(outcome(source)).toBe('limit')
  })

  it.each([
    ['{% for i in range(2000000) %}a{% endfor %}', 'Range too big'],
    ['{{ 10 ** (10 ** 10) }}', 'an int of more than'],
    [grow('3', 'ns.s * ns.s'), 'an int of more than'],
  ])('%s', (source, reason) => {
    expect(() => compileTemplate(source).render({})).toThrow(reason)
  })
})

describe('linear, so not stopped', () => {
  it.each([
    [grow("''", "ns.s ~ d ~ 'x'", '{{ ns.s }}', 50_000), 'ok 250000'],
    ["{{ ('Σ' * 200000)|lower }}", 'ok 200000'],
    ["{{ (('a.' * 100000) ~ 'com')|urlize|length }}", 'ok 6'],
    ["{{ ('a@' * 100000)|urlize|length }}", 'ok 6'],
    ["{{ ('&' * 200000)|striptags|length }}", 'ok 6'],
    ["{{ ('word ' * 50000)|pprint|length }}", 'ok 6'],
    ["{{ ('word-' * 20000)|wordwrap(7)|length }}", 'ok 6'],
    [each('{% set x = emoji[i] %}'), 'ok 0'],
  ])('%s', { timeout: 30_000 }, (source, expected) => {
    expect(outcome(source)).toBe(expected)
  })
})

describe('limits', () => {
  it('are those of the caller', () => {
    const loop = '{% for i in range(100) %}a{% endfor %}'
    expect(outcome(loop, { steps: 50 })).toBe('limit')
    expect(outcome(loop, { output: 99 })).toBe('limit')
    expect(outcome(loop, { output: 100 })).toBe('ok 100')
    const macro = '{% macro m(n) %}{% if n %}{{ m(n - 1) }}{% endif %}.{% endmacro %}{{ m(5) }}'
    expect(outcome(macro, { recursion: 5 })).toBe('limit')
    expect(outcome(macro, { recursion: 6 })).toBe('ok 6')
  })

  it('leave room for a long chat', () => {
    const messages = Array.from({ length: 5000 }, (_, i) => ({
      role: 'user',
      content: `${i} ${'word '.repeat(20)}`,
    }))
    const template = compileTemplate(
      "{% for m in messages %}{% if '</think>' in m.content %}{% endif %}<|{{ m.role }}|>{{ m.content|trim }}\n{% endfor %}",
    )
    expect(template.render({ messages }).text.text.length).toBeGreaterThan(500_000)
  })

  it('say what was expected', () => {
    const template = compileTemplate('{% for i in range(9) %}{% endfor %}')
    expect(() => template.render({}, { limits: { steps: 5 } })).toThrow(
      'template line 1, column 4: expected at most 5 steps (limits.steps)',
    )
  })
})
