import { describe, expect, it } from 'vitest'
import { parseTemplate } from '../../../src/chat/template/parser.js'
import { Scopes } from '../../../src/chat/template/scopes.js'
import { compileTemplate } from '../../../src/chat/template/template.js'
import { TemplateError } from '../../../src/errors.js'

/** Every expected output here is what Jinja2 3.1.6 gives. */
function render(source: string, context: Record<string, unknown> = {}): string {
  return compileTemplate(source).render(context).text.text
}

describe('to which frame a name belongs is decided before anything runs', () => {
  it.each<[string, Record<string, unknown>, string]>([
    // A name that is first mentioned where it is set has no value before, though the context has one.
    ['{% macro f() %}{{ x }}{% endmacro %}{{ f() }}|{% set x = 1 %}{{ f() }}', { x: 'c' }, '|1'],
    ['{{ x }}{% set x = 1 %}{{ x }}', { x: 'c' }, 'c1'],
    ['{% set x = x ~ 1 %}{{ x }}', { x: 'c' }, 'c1'],
    // One that is set in a branch alone starts as in the context.
    ['{% if no %}{% set x = 1 %}{% endif %}{{ x }}', { x: 'c' }, 'c'],
    ['{% if no %}{% set x = 1 %}{% endif %}{{ x }}', {}, ''],
    ['{% if yes %}{% set x = 1 %}{% endif %}{{ x }}', { x: 'c', yes: true }, '1'],
    [
      '{% if a %}{% set x = 1 %}{% elif b %}{% set x = 2 %}{% else %}{% set x = 3 %}{% endif %}{{ x }}',
      { b: 1 },
      '2',
    ],
    // What a loop sets stays in one turn of it.
    ['{% set x = 0 %}{% for i in [1, 2] %}{{ x }}{% set x = i %}{{ x }}{% endfor %}{{ x }}', {}, '01020'],
    ['{% for i in [1] %}{{ x }}{% set x = i %}{{ x }}{% endfor %}{{ x }}', { x: 'c' }, 'c1c'],
    ['{% for i in [1, 2] %}{% if i == 1 %}{% set y = 7 %}{% endif %}{{ y }}{% endfor %}', {}, '7'],
    ['{% for x in [1] %}{% endfor %}{{ x }}', { x: 'c' }, 'c'],
    ['{% for x in [] %}{% else %}{{ x }}{% endfor %}', { x: 'c' }, 'c'],
    ['{% for x in x %}{{ x }}{% endfor %}', { x: [1, 2] }, '12'],
    // Blocks.
    ['{% set y %}{% set x = 1 %}{{ x }}{% endset %}{{ y }}{{ x }}', { x: 'c' }, '1c'],
    ['{% filter upper %}{% set x = "a" %}{{ x }}{% endfilter %}{{ x }}', { x: 'c' }, 'Ac'],
    ['{% with x = 1, y = x %}{{ x }}{{ y }}{% endwith %}{{ x }}', { x: 'c' }, '1cc'],
    ['{% generation %}{% set x = 1 %}{{ x }}{% endgeneration %}{{ x }}', { x: 'c' }, '1c'],
    ['{% macro f() %}{% set x = 1 %}{{ x }}{% endmacro %}{{ f() }}{{ x }}', { x: 'c' }, '1c'],
    // Macros see the variables around them as they are when they are called.
    ['{% set x = 1 %}{% macro f() %}{{ x }}{% endmacro %}{% set x = 2 %}{{ f() }}', {}, '2'],
    ['{% for i in [1, 2] %}{% macro f() %}{{ i }}{% endmacro %}{{ f() }}{% endfor %}', {}, '12'],
    ['{% macro f(a, b=a) %}{{ a }}{{ b }}{% endmacro %}{{ f(1) }}{{ f(1, 2) }}', {}, '1112'],
    ['{% macro f(a=b, b=1) %}{{ a }}{{ b }}{% endmacro %}{{ f() }}', { b: 'c' }, '1'],
    [
      '{% macro f() %}{{ caller() }}{% endmacro %}{% call f() %}{% set x = 1 %}{{ x }}{% endcall %}{{ x }}',
      {},
      '1',
    ],
    // Only a body that mentions `loop` has one; the filter of a loop has none.
    ['{% for i in [1, 2] %}{% for j in [1] %}{{ loop.index }}{% endfor %}{% endfor %}', {}, '11'],
    [
      '{% for i in [1, 2] %}{% for j in [5, 6] if loop.index == 1 %}{{ j }}{% endfor %}{{ loop.index }}{% endfor %}',
      {},
      '5612',
    ],
    ['{% set loop = 1 %}{% for i in [1] %}{{ loop.index }}{% endfor %}{{ loop }}', {}, '11'],
    ['{% for i in [1] %}{% macro f(loop) %}{{ loop }}{% endmacro %}{{ f(4) }}{% endfor %}', {}, '4'],
  ])('%s', (source, context, output) => {
    expect(render(source, context)).toBe(output)
  })
})

describe('scopes', () => {
  it('tell what a macro mentions', () => {
    const template = parseTemplate(
      '{% macro f(varargs) %}{{ caller() }}{{ kwargs }}{{ varargs }}{% endmacro %}' +
        '{% macro g() %}{% set caller = 1 %}{{ caller }}{% endmacro %}',
    )
    const scopes = new Scopes(template)
    const [f, g] = template.body
    if (f?.type !== 'Macro' || g?.type !== 'Macro') throw new Error('expected two macros')
    expect(scopes.access(f)).toEqual({ caller: true, kwargs: true, varargs: false })
    expect(scopes.access(g)).toEqual({ caller: false, kwargs: false, varargs: false })
  })

  it('tell how the variables of a frame start', () => {
    const template = parseTemplate(
      '{{ a }}{% set b = a %}{% for i in a %}{% set a = i %}{{ c }}{{ loop }}{% endfor %}',
    )
    const scopes = new Scopes(template)
    const loop = template.body[2]
    if (loop?.type !== 'For') throw new Error('expected a loop')
    expect([...scopes.frame(template).loads]).toEqual([
      { action: 'resolve', ident: 'l_0_a', name: 'a' },
      { action: 'undefined', ident: 'l_0_b' },
    ])
    expect([...scopes.loop(loop).body.loads]).toEqual([
      { action: 'parameter', ident: 'l_1_loop' },
      { action: 'parameter', ident: 'l_1_i' },
      { action: 'alias', ident: 'l_1_a', from: 'l_0_a' },
      { action: 'resolve', ident: 'l_1_c', name: 'c' },
    ])
    expect(scopes.loop(loop)).toMatchObject({ hasLoop: true, else: undefined, test: undefined })
  })

  it('refuse a name that only the filter of a set block mentions', () => {
    const source = "{% set x | replace('a', y) %}a{% endset %}{{ x }}"
    expect(() => render(source, { y: 'b' })).toThrow(TemplateError)
    expect(render(`${source}{{ y }}`, { y: 'b' })).toBe('bb')
  })
})
