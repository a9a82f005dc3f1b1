// Decisions of a template that depend on the content of request text, not on its shape.
import { describe, expect, it } from 'vitest'
import { compileTemplate, type RenderedTemplate } from '../../../src/chat/template/template.js'
import { InvalidArgumentError, TemplateError } from '../../../src/errors.js'

const context = {
  messages: [
    { role: 'user', content: 'hi </think> you', tool_calls: null },
    { role: 'judge', content: '' },
  ],
  ...{ d: 'ab cd', e: '', n: 7, t: true, l: ['x', 'y'], o: { k: 'v' } },
  parts: [
    { type: 'text', text: 't' },
    { type: 'other', text: 'u' },
  ],
}

function render(source: string): RenderedTemplate {
  return compileTemplate(source).render(context)
}

/** Each decision as `kind path outcome`. */
function decisions(source: string): string[] {
  return render(source).decisions.map(({ kind, path, outcome }) => `${kind} ${path} ${outcome}`)
}

describe('shape is no decision', () => {
  it.each([
    '{% if d %}{% endif %}{% if not e %}{% endif %}{{ d or 1 }}{{ 1 if e }}',
    "{% if d == '' %}{% endif %}{% if d|trim != '' %}{% endif %}{% if '' == e %}{% endif %}",
    '{% if d|length == 0 %}{% endif %}{% if d|length > 0 %}{% endif %}{% if d|length %}{% endif %}',
    '{% if d is string %}{% endif %}{% if d is defined %}{% endif %}{% if zz is none %}{% endif %}',
    "{% if messages[0].role == 'user' %}{% endif %}{% if messages[0]['role'] in ['user', 'tool'] %}{% endif %}",
    '{% for m in messages %}{{ loop.index }}{% if loop.last %}{% endif %}{% endfor %}{{ messages|length > 1 }}',
    "{% if messages[0].tool_calls %}{% endif %}{% if 'k' in o %}{% endif %}{% if o.zz is defined %}{% endif %}",
    "{% if parts[0].type == 'text' %}{{ parts[0].text }}{% endif %}",
    '{% if t %}{% endif %}{% if n %}{% endif %}{% if t is true %}{% endif %}',
    '{% for k, v in o.items() %}{{ k }}{{ v|tojson }}{% endfor %}{{ o|tojson }}{{ o|dictsort }}',
    '{{ d|upper }}{{ d|trim }}{{ d ~ e }}{{ l|join }}{{ l|sort|join }}{{ l|first }}',
    "{% for m in messages if m.content is string and m.content %}{% endfor %}{{ 'a b'.split()[0] }}",
    "{% if ['a'][0] == 'a' %}{% endif %}{{ 'abc'[:1] }}{{ 'x'|replace('x', 'y') }}",
  ])('%s', (source) => {
    expect(decisions(source)).toEqual([])
  })
})

describe('content is', () => {
  it.each([
    ["{% if 'x' in d %}{% endif %}", ['branch d false']],
    ["{% if d.startswith('a') and d|length > 3 %}{% endif %}", ['branch d true']],
    ["{{ 'y' if d == 'ab cd' else 'n' }}", ['branch d true']],
    ["{{ d == 'x' or 'z' }}", ['branch d false']],
    ["{% if not d == 'x' %}{% endif %}", ['branch d true']],
    ["{% if 'x' in d %}{% elif 'ab' in d %}{% endif %}", ['branch d false', 'branch d true']],
    ["{% if messages[1].role == 'user' %}{% endif %}", ['branch messages[1].role false']],
    ["{% if parts[1].type == 'text' %}{% endif %}", ['branch parts[1].type false']],
    [
      "{% for m in messages if 'hi' in m.content %}{% endfor %}",
      ['branch messages[0].content true', 'branch messages[1].content false'],
    ],
    ["{% for k in o if k == 'k' %}{% endfor %}", ['branch o{k} true']],
    ['{% if n > 3 %}{% endif %}', ['branch n true']],
    ["{% if o == {'k': 'v'} %}{% endif %}", ['branch o{k} true', 'branch o.k true']],
    ["{{ {'ab cd': '<s>'}[d] }}", ['branch d true']],
    ["{{ l|select('equalto', 'x')|list|length }}", ['branch l[0] true', 'branch l[1] false']],
    ['{{ l|unique|list }}', ['branch l[0] true', 'branch l[1] true']],
    ["{{ d.split(' ')[-1] }}", ['split d 2', 'cut d ab']],
    ["{{ d.split(' ')|first }}", ['split d 2', 'cut d cd']],
    ["{{ d.split(' ')|join }}", ['split d 2']],
    ["{% set x = d.split(' ') %}{% if x|length > 1 %}{% endif %}", ['split d 2', 'branch d true']],
    ["{% set x = d.split('-') %}{% if x[1] is defined %}{% endif %}", ['split d 1', 'branch d false']],
    ["{% if d.split('-')[-1] %}{% endif %}", ['split d 1', 'branch d true']],
    ['{% for x in d.split() %}{{ x }}{% endfor %}', ['split d 2', 'loop d 2']],
    ['{% for c in d %}{{ c }}{% endfor %}', ['loop d 5']],
    ['{% for i in range(d|length) %}{% endfor %}', ['loop d 5']],
    ['{{ d[:2] }}', ['cut d  cd']],
    ["{{ d.strip('a') }}", ['cut d a']],
    ["{{ d|replace('a', 'b') }}", ['split d 1', 'cut d a']],
    ["{{ d|truncate(3, true, '', 0) }}", ['branch d true', 'cut d cd']],
    ['{{ d|indent }}', ['split d 1']],
    ['{{ d|center(9) }}', ['branch d true']],
    ["{% if d|int('x') == 'x' %}{% endif %}", ['branch d true']],
    ["{{ '<' * d|length }}", ['loop d 5']],
  ])('%s', (source, expected) => {
    expect(decisions(source)).toEqual(expected)
  })

  it('has a place in the source', () => {
    const { decisions } = render("a\n  {% if 'x' in d %}{% endif %}")
    expect(decisions).toEqual([{ kind: 'branch', line: 2, column: 6, path: 'd', outcome: false }])
  })

  it('is told once for a place and a path, and for each branch taken', () => {
    expect(decisions("{% for i in range(9) %}{% if 'x' in d %}{% endif %}{% endfor %}")).toEqual([
      'branch d false',
    ])
    expect(decisions("{% for i in 'ax' %}{% if i in d %}{% endif %}{% endfor %}")).toEqual([
      'branch d true',
      'branch d false',
    ])
  })

  it('is no loss where the text is written after all', () => {
    expect(decisions("{{ d.split(' ')[0] }}{{ d.split(' ')[1] }}")).toEqual(['split d 2', 'split d 2'])
    expect(decisions('{{ d[:2] }}{{ d[2:] }}')).toEqual([])
    expect(decisions("{{ d.split(' ')[0] }}")).toEqual(['split d 2', 'cut d cd'])
  })

  it('is listed up to a thousand times, then counted', () => {
    const x = Array.from({ length: 1500 }, (_, i) => `${i}`)
    const { decisions, decisionsOmitted } = compileTemplate(
      "{% for i in x %}{% if i == '7' %}{% endif %}{% endfor %}",
    ).render({ x })
    expect([decisions.length, decisionsOmitted]).toEqual([1000, 500])
  })
})

describe('what to do about them', () => {
  const template = compileTemplate("{% if 'x' in d %}a{% else %}b{% endif %}{{ d[:1] }}")

  it('report, ignore and refuse', () => {
    expect(template.render(context).decisions).toHaveLength(2)
    const ignored = template.render(context, { onDataDependence: 'ignore' })
    expect([ignored.text.text, ignored.decisions, ignored.decisionsOmitted]).toEqual(['ba', [], 0])
    const refused = failure(() => template.render(context, { onDataDependence: 'refuse' }))
    expect([refused.kind, refused.line, refused.column, refused.paths]).toEqual([
      'data-dependence',
      1,
      4,
      ['d'],
    ])
    expect(refused.reason).toBe("the content of d decides a branch, and onDataDependence is 'refuse'")
  })

  it('refuses nothing that depends on shape alone', () => {
    const plain = compileTemplate('{% for m in messages %}<|{{ m.role }}|>{{ m.content|trim }}{% endfor %}')
    expect(plain.render(context, { onDataDependence: 'refuse' }).text.text).toBe(
      '<|user|>hi </think> you<|judge|>',
    )
  })

  it('knows no other answer', () => {
    expect(() => template.render(context, { onDataDependence: '' as 'report' })).toThrow(InvalidArgumentError)
  })
})

describe('raise_exception', () => {
  it.each([
    ["{% if d == 'ab cd' %}{{ raise_exception('bad') }}{% endif %}", ['d']],
    ["{% if d == 'x' %}{% elif l %}{{ raise_exception('bad') }}{% endif %}", ['d']],
    ['{% for c in d %}{{ raise_exception(c) }}{% endfor %}', ['d']],
    ['{{ raise_exception(d ~ l[0]) }}', ['d', 'l[0]']],
    ["{% if l %}{{ raise_exception('bad') }}{% endif %}", []],
    ["{% if d == 'ab cd' %}{% endif %}{{ raise_exception('bad') }}", []],
  ])('%s', (source, paths) => {
    const error = failure(() => render(source))
    expect([error.kind, error.paths]).toEqual(['raised', paths])
  })
})

function failure(run: () => unknown): TemplateError {
  try {
    run()
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
  throw new Error('expected a TemplateError')
}
