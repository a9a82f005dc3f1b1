// How statements carry origins, what of a request is trusted, and what the environment allows.
import { describe, expect, it } from 'vitest'
import { jsonText } from '../../../src/chat/python-json.js'
import { toParts, toTemplateParts } from '../../../src/chat/template/prompt-parts.js'
import { compileTemplate } from '../../../src/chat/template/template.js'
import { InvalidArgumentError, TemplateError } from '../../../src/errors.js'
import { control, TrustedText, trusted } from '../../../src/prompt/parts.js'
import { shown } from './shown.js'

const context = { d: 'ab', l: ['x', 'y'], o: { k: 'v' } }

function failure(source: string, variables: Record<string, unknown> = {}): TemplateError {
  try {
    compileTemplate(source).render(variables)
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
  throw new Error('expected a TemplateError')
}

describe('statements keep origins', () => {
  it.each([
    ['{% for x in l %}{{ loop.index }}{{ x }}{% endfor %}', '1[l[0]:x]2[l[1]:y]'],
    ['{% for c in d %}{{ c }}.{% endfor %}', '[d:a].[d:b].'],
    ['{% for k in o %}{{ k }}{% endfor %}', '[o{k}:k]'],
    ['{% for k, v in o.items() %}{{ k }}={{ v }}{% endfor %}', '[o{k}:k]=[o.k:v]'],
    ["{% for x in l recursive %}{{ x }}{{ loop('z') if loop.depth == 1 }}{% endfor %}", '[l[0]:x]z[l[1]:y]z'],
    ['{% macro q(x) %}<{{ x }}>{% endmacro %}{{ q(d) }}{{ q(x="y") }}', '<[d:ab]><y>'],
    ['{% macro q() %}({{ caller() }}){% endmacro %}{% call q() %}{{ d }}!{% endcall %}', '([d:ab]!)'],
    ['{% macro q() %}{{ kwargs }}{% endmacro %}{{ q(**o) }}', "{[o{k}:'k']: [o.k:'v']}"],
    ['{% macro q() %}{{ varargs }}{% endmacro %}{{ q(*l) }}', "([l[0]:'x'], [l[1]:'y'])"],
    ['{% set x %}<{{ d }}>{% endset %}{{ x }}{{ x|upper }}', '<[d:ab]><[d:AB]>'],
    ['{% set x | upper %}<{{ d }}>{% endset %}{{ x }}', '<[d:AB]>'],
    ['{% filter upper %}x{{ d }}{% endfilter %}', 'X[d:AB]'],
    [
      "{% set ns = namespace(s='') %}{% for x in l %}{% set ns.s = ns.s ~ '<' ~ x %}{% endfor %}{{ ns.s }}",
      '<[l[0]:x]<[l[1]:y]',
    ],
    ['{% with x = d %}{{ x }}{% endwith %}', '[d:ab]'],
    ['{% generation %}<{{ d }}>{% endgeneration %}', '<[d:ab]>'],
    ["{% set j = joiner('|') %}{% for x in l %}{{ j() }}{{ x }}{% endfor %}", '[l[0]:x]|[l[1]:y]'],
    ['{% set c = cycler(*l) %}{{ c.next() }}{{ c.next() }}{{ c.current }}', '[l[0]:x][l[1]:y][l[0]:x]'],
    ["{{ strftime_now('%Y') }}{{ strftime_now(d) }}", '2025[d:ab]'],
  ])('%s', (source, expected) => {
    expect(shown(source, context, { now: () => new Date(2025, 0, 1) })).toBe(expected)
  })
})

describe('the request', () => {
  const template = '{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}'

  it('has trusted roles from a static list only', () => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'im_end', content: 'b' },
      { role: 'judge', content: '' },
    ]
    expect(shown(template, { messages })).toBe(
      '<|user|>[messages[0].content:a]<|[messages[1].role:im_end]|>[messages[1].content:b]' +
        '<|[messages[2].role:judge]|>[messages[2].content:]',
    )
    expect(shown(template, { messages }, { roles: ['judge'] })).toContain('<|judge|>')
  })

  it('has trusted roles in messages only', () => {
    const variables = { x: { role: 'user' }, messages: [{ a: { role: 'user' } }] }
    expect(shown('{{ x.role }}{{ messages[0].a.role }}', variables)).toBe(
      '[x.role:user][messages[0].a.role:user]',
    )
    expect(shown(template, { messages: jsonText('[{"role": "user", "content": "a"}]') })).toBe(
      '<|user|>[messages[0].content:a]',
    )
  })

  it('has special tokens, which a variable of the same name replaces', () => {
    const options = { specialTokens: { bos_token: '<s>' } }
    expect(shown('{{ bos_token }}', {}, options)).toBe('<s>')
    expect(shown('{{ bos_token }}', { bos_token: '<s>' }, options)).toBe('[bos_token:<s>]')
  })

  it('has trusted texts made by code', () => {
    expect(shown('{{ a }}{{ b.c }}', { a: trusted('<s>'), b: { c: trusted('x') } })).toBe('<s>x')
  })

  it('keeps numbers of jsonText as they are spelled', () => {
    const text = '{"a": 1.0, "b": 12345678901234567890, "2": true, "1": null, "c": "s"}'
    expect(compileTemplate('{{ x|tojson }}').render({ x: jsonText(text) }).text.text).toBe(text)
    expect(shown('{{ x.a }}', { x: jsonText(text) })).toBe('[x.a:1.0]')
  })

  it('reads JavaScript values as JSON would write them', () => {
    const x = [
      1,
      1.5,
      1e21,
      -0,
      12n ** 20n,
      true,
      null,
      undefined,
      { a: undefined, b: 1 },
      new Map([['2', 'x']]),
    ]
    expect(compileTemplate('{{ x|tojson }}').render({ x }).text.text).toBe(
      '[1, 1.5, 1e+21, 0, 3833759992447475122176, true, null, null, {"b": 1}, {"2": "x"}]',
    )
    expect(compileTemplate('{{ y is defined }}').render({ y: undefined }).text.text).toBe('False')
  })

  it('replaces halves of surrogate pairs, so that none join', () => {
    expect(shown('{{ a }}{{ b }}', { a: '\ud83d', b: '\ude00' })).toBe('[a:\ufffd][b:\ufffd]')
  })

  it('asks getters and proxies once', () => {
    let asked = 0
    const a = {
      get content() {
        asked++
        return `x${asked}`
      },
    }
    expect(shown('{{ a.content }}{{ a.content }}', { a })).toBe('[a.content:x1x1]')
    expect(shown('{{ a.content }}', { a: new Proxy({ content: 'y' }, {}) })).toBe('[a.content:y]')
  })

  it.each([
    ['a function', { f: () => 1 }, 'a.f: expected plain data but received a function'],
    ['a symbol', [Symbol('x')], 'a[0]: expected plain data but received a symbol'],
    [
      'a class instance',
      { when: new Date(0) },
      'a.when: expected plain data but received an instance of Date',
    ],
    ['a boxed string', { s: Object('x') }, 'a.s: expected plain data but received an instance of String'],
    ['not a number', [Number.NaN], 'a[0]: expected a finite number but received NaN'],
    ['a control token', control('<s>'), 'a: expected text'],
    ['a Map with other keys', new Map([[1, 2]]), 'a: expected a Map with string keys only'],
  ])('refuses %s', (_name, a, message) => {
    expect(() => compileTemplate('').render({ a })).toThrow(InvalidArgumentError)
    expect(() => compileTemplate('').render({ a })).toThrow(message)
  })

  it('refuses cycles and depth, but not a value in two places', () => {
    const cycle: unknown[] = []
    cycle.push({ cycle })
    expect(() => compileTemplate('').render({ cycle })).toThrow(
      'cycle[0].cycle: expected plain data but it contains',
    )
    let deep: unknown = []
    for (let i = 0; i < 2000; i++) deep = [deep]
    expect(() => compileTemplate('').render({ deep })).toThrow('expected at most 1000 levels')
    const shared = { x: 1 }
    expect(shown('{{ a[0].x }}{{ a[1].x }}', { a: [shared, shared] })).toBe('[a[0].x:1][a[1].x:1]')
  })
})

describe('the environment', () => {
  it('has no way to prototypes', () => {
    const a = JSON.parse('{"__proto__": {"x": 1}, "constructor": "c", "toString": "t"}')
    expect(
      shown("{{ a['__proto__'].x }}{{ a.constructor }}{{ a.toString }}{{ a.hasOwnProperty }}", { a }),
    ).toBe('[a.__proto__.x:1][a.constructor:c][a.toString:t]')
    expect(shown("{{ {'__proto__': 1}['__proto__'] }}{{ ({}).__proto__ }}{{ 'a'.constructor }}")).toBe('1')
    expect(shown('{{ namespace(constructor=1).constructor }}{{ [].length }}')).toBe('1')
    expect(shown('{{ constructor }}{{ __proto__ }}{{ toString }}')).toBe('')
    expect(failure("{{ ''.__class__.mro }}").reason).toBe(
      "SecurityError: access to attribute '__class__' of 'str' object is unsafe.",
    )
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  it('changes no list and no dict', () => {
    expect(failure('{{ l.append(1) }}', { l: [] }).reason).toContain('SecurityError')
    expect(failure('{{ d.update({}) }}', { d: {} }).reason).toContain('SecurityError')
    expect(failure('{% set d.x = 1 %}', { d: {} }).reason).toContain('non-namespace object')
  })

  it('leaves nothing behind for the next render', () => {
    const template = compileTemplate(
      '{% set c = cycler(1, 2) %}{{ c.next() }}{% set d = {} %}{% set d.x %}v{% endset %}{{ d }}{{ x }}',
    )
    for (const x of ['a', 'b']) expect(template.render({ x }).text.text).toBe(`1{'x': 'v'}${x}`)
  })

  it('uses the clock of the caller', () => {
    const now = (): Date => new Date(2024, 1, 29, 13, 5)
    expect(shown("{{ strftime_now('%-d %B %Y %I:%M %p') }}", {}, { now })).toBe('29 February 2024 01:05 PM')
  })
})

describe('errors', () => {
  it('tell line and column of the operation', () => {
    const error = failure('a\n{{ 1 }}{{ "x" +\n  none }}')
    expect([error.kind, error.line, error.column]).toEqual(['runtime', 2, 11])
    expect(error.message).toBe(
      'template line 2, column 11: TypeError: can only concatenate str (not "NoneType") to str',
    )
  })

  it('tell what the template itself raises apart', () => {
    const error = failure("{{ raise_exception('roles must alternate') }}")
    expect([error.kind, error.reason, error.code]).toEqual(['raised', 'roles must alternate', 'TEMPLATE'])
  })

  it('come from options too', () => {
    const template = compileTemplate('')
    expect(() => template.render({}, { specialTokens: { a: 1 as unknown as string } })).toThrow(
      'specialTokens.a',
    )
    expect(() => template.render({}, { limits: { steps: 0 } })).toThrow('limits.steps')
    expect(() => compileTemplate(1 as unknown as string)).toThrow(InvalidArgumentError)
  })
})

describe('what a template is made of', () => {
  it('is listed as literals, each once', () => {
    const source = "<s>{{ 'a' ~ x }}{% if x == '<|b|>' %}<s>{{ d['k'] }}{% endif %}"
    const template = compileTemplate(source, { name: 'n' })
    expect(template.literals.toSorted()).toEqual(['<s>', '<|b|>', 'a', 'k'])
    expect(template.name).toBe('n')
  })
})

describe('parts', () => {
  const { text } = compileTemplate('<|{{ a }}{{ b }}|>{{ c }}').render({ a: 'x', b: 'y', c: '' })

  it('are trusted or data, with empty data and joined neighbours', () => {
    const parts = toParts(text).map((part) => (TrustedText.is(part) ? { trusted: part.text } : part))
    expect(parts).toEqual([{ trusted: '<|' }, 'xy', { trusted: '|>' }, ''])
  })

  it('have paths in the longer form', () => {
    expect(toTemplateParts(text)).toEqual([
      { kind: 'trusted', text: '<|' },
      { kind: 'data', path: 'a', text: 'x' },
      { kind: 'data', path: 'b', text: 'y' },
      { kind: 'trusted', text: '|>' },
      { kind: 'data', path: 'c', text: '' },
    ])
  })
})

describe('generation blocks', () => {
  it('are stretches of the output in UTF-16 units', () => {
    const source = '{% for x in l %}😀{{ x }}{% generation %}[{{ x }}]{% endgeneration %}{% endfor %}'
    const { text, generations } = compileTemplate(source).render({ l: ['a', '😀'] })
    expect(generations.map(({ start, end }) => text.text.slice(start, end))).toEqual(['[a]', '[😀]'])
  })
})
