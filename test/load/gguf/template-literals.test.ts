import { describe, expect, it } from 'vitest'
import { templateLiterals } from '../../../src/load/gguf/template-literals.js'

describe('what a template may write', () => {
  it.each<[string, string[]]>([
    ['', []],
    ['a', ['a']],
    ['a{{ x }}b', ['a', 'b']],
    ['a{{ \'b\' ~ "c" }}d', ['a', 'b', 'c', 'd']],
    ["{%- if role == 'user' -%}\n{% endif %}", ['user', '\n']],
    ["a{# 'b' #}c", ['a', 'c']],
    ["{{ 'it\\'s' }}", ["it\\'s"]],
    ['{{ "a\nb" }}', ['a\nb']],
    ['{a} {', ['{a} {']],
    ['a{{ b', ['a{{ b']],
    ["a{% 'b", ["a{% 'b"]],
    ["{{ 'a }}b", ['b']],
    ['{{{ x }}}', ['}']],
  ])('%j', (template, literals) => {
    expect(templateLiterals(template)).toEqual(literals)
  })

  it('is found in linear time', () => {
    for (const part of ['{', '{{', '{# ', "{{ '", '{{}}', "{{ ''", '{%', '\\"'].map((start) =>
      start.repeat(300_000),
    )) {
      expect(templateLiterals(part).join('').length).toBeLessThanOrEqual(part.length)
      expect(templateLiterals(`{{ "${part} }}`)).toBeDefined()
    }
  })
})
