import { describe, expect, it } from 'vitest'
import { checkTemplate } from '../../../src/chat/template/checks.js'
import { parseTemplate } from '../../../src/chat/template/parser.js'
import { TemplateError } from '../../../src/errors.js'

const KNOWN = { filters: new Set(['upper']), tests: new Set(['defined']) }

function check(source: string): void {
  checkTemplate(parseTemplate(source), KNOWN)
}

describe('what Jinja2 3.1.6 parses but cannot compile', () => {
  it.each([
    ['{{ a | lower }}', "line 1, column 8: expected a known filter but found 'lower'"],
    ['{% filter lower %}{% endfilter %}', 'known filter'],
    ['{% set x | lower %}{% endset %}', 'known filter'],
    ['{% if a %}{% for i in b %}{{ i | lower }}{% endfor %}{% endif %}', 'known filter'],
    ['{% if a %}{% set x %}{{ b | lower }}{% endset %}{% endif %}', 'known filter'],
    ['{{ a is odd }}', "expected a known test but found 'odd'"],
    ['{% break %}', "expected 'break' inside a loop"],
    [
      '{% for i in a %}{% macro f() %}{% continue %}{% endmacro %}{% endfor %}',
      "expected 'continue' inside a loop",
    ],
    ['{% for i in a %}{% generation %}{% break %}{% endgeneration %}{% endfor %}', 'inside a loop'],
    ['{% for i in a %}{% call f() %}{% break %}{% endcall %}{% endfor %}', 'inside a loop'],
    ['{% for i in a %}{% else %}{% break %}{% endfor %}', 'inside a loop'],
    [
      '{% for i in a %}{% for j in b recursive %}{% else %}{% break %}{% endfor %}{% endfor %}',
      'inside a loop',
    ],
    ['{% for loop in a %}{% endfor %}', "another name in a loop than 'loop'"],
    ['{% for i in a %}{% set loop = 1 %}{% endfor %}', "another name in a loop than 'loop'"],
    ['{% for i in a %}{% macro f() %}{% set b, loop = c %}{% endmacro %}{% endfor %}', "than 'loop'"],
    ['{% macro f(a, b, a=1) %}{% endmacro %}', "column 18: expected each parameter once but found 'a' again"],
    ['{% macro f(caller) %}{{ caller() }}{% endmacro %}', "no parameter 'caller'"],
    ['{{ f(a=1, a=2) }}', "expected each keyword argument once but found 'a' again"],
    ['{{ a | upper(b=1, b=2) }}', "found 'b' again"],
    ['{% call f(caller=1) %}{% endcall %}', "found 'caller' again"],
    ['{% for i in a %}{{ f(_loop_vars=1) }}{% endfor %}', "found '_loop_vars' again"],
  ])('%s', (source, message) => {
    expect(() => check(source)).toThrow(TemplateError)
    expect(() => check(source)).toThrow(message)
  })

  it.each([
    '{% if a %}{{ b | lower }}{% elif c is odd %}{{ d | lower }}{% else %}{{ e is odd }}{% endif %}',
    '{% if a %}{% for i in b | lower %}{% endfor %}{% endif %}',
    '{{ (a | lower) if b else (c is odd) }}',
    '{% for i in a %}{% if b %}{% filter upper %}{% break %}{% endfilter %}{% endif %}{% endfor %}',
    '{% for i in a %}{% for j in b %}{% else %}{% break %}{% endfor %}{% endfor %}',
    '{% for i in a recursive %}{% with c = 1 %}{% continue %}{% endwith %}{% endfor %}',
    '{% set loop = 1 %}',
    '{% for i in a %}{% with loop = 1 %}{% endwith %}{% macro f(loop) %}{% endmacro %}{% endfor %}',
    '{% macro f(caller) %}{% endmacro %}',
    '{% macro f(caller=none) %}{{ caller }}{% endmacro %}',
    // With a keyword of Python among them, arguments go into a dict, and the last one counts.
    '{{ f(a=1, a=2, class=3) }}',
    '{{ f(_loop_vars=1) }}',
  ])('%s is taken', (source) => {
    expect(() => check(source)).not.toThrow()
  })
})
