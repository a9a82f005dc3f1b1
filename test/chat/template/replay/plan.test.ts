// Templates that look at the conversation in ways of their own: each is rendered as from scratch, and it is known of which
// ones turns can be taken over.
import { describe, expect, it } from 'vitest'
import { randomNumbers } from '../../../budget/conversations.js'
import { growAndCompare, messages, type Outcome } from './growing.js'

function grown(source: string, conversations = 12): Outcome {
  const outcome: Outcome = { compared: 0, replayed: 0, lost: 0, different: [] }
  let seconds = 0
  const options = { now: () => new Date(2026, 10, 30, 0, 0, seconds), specialTokens: { bos_token: '<s>' } }
  for (let seed = 0; seed < conversations; seed++) {
    const random = randomNumbers(seed)
    growAndCompare(source, messages(random, 5), { tools: null }, options, random, outcome, () => seconds++)
  }
  return outcome
}

const loop = (body: string, head = '', list = 'messages'): string =>
  `${head}{% for message in ${list} %}${body}{% endfor %}`

describe('takes turns over', () => {
  it.each([
    ['that look at their message', loop('{{ message.content }}')],
    [
      'that look at their neighbours',
      loop('{{ message.role }}{% if loop.nextitem is defined %}{{ loop.nextitem.role }}{% endif %}'),
    ],
    ['that look at the last message', loop("{{ message.role }}{{ '!' if messages[-1].role == 'user' }}")],
    [
      'that hand something on',
      loop('{% set ns.n = ns.n + 1 %}{{ ns.n }}{{ message.content }}', '{% set ns = namespace(n=0) %}'),
    ],
    [
      'that look at what a reversed loop found',
      loop(
        '{{ message.role }}{% if loop.index0 > ns.last %}{{ message.content }}{% endif %}',
        "{% set ns = namespace(last=-1, open=true) %}{% for m in messages[::-1] %}{% set at = messages|length - 1 - loop.index0 %}{% if ns.open and m.role == 'user' %}{% set ns.open = false %}{% set ns.last = at %}{% endif %}{% endfor %}",
      ),
    ],
    ['with a macro', loop('{{ f(message.role) }}', '{% macro f(x) %}<{{ x }}{{ bos_token }}>{% endmacro %}')],
    [
      'with a filter that is used up where it stands',
      loop("{{ message.role }}{{ message.content|map('upper')|join if message.content is string }}"),
    ],
    ['in spite of the time', loop('{{ message.role }}{{ day }}', "{% set day = strftime_now('%d') %}")],
  ])('%s', (_, source) => {
    const { different, lost, replayed, compared } = grown(source)
    expect(different.slice(0, 1).join()).toBe('')
    expect(lost).toBe(0)
    expect(replayed).toBeGreaterThan(compared / 3)
  })
})

describe('knows for which turns a number of the loop may be another', () => {
  const head =
    "{% set ns = namespace(n=messages|length // 2, m=0) %}{% for m in messages %}{% if m.role == 'user' %}{% set ns.m = loop.index0 %}{% endif %}{% endfor %}"
  const counters = ['index', 'index0', 'revindex', 'revindex0', 'length']
  const others = [
    '2',
    '-1',
    'ns.n',
    'ns.m',
    'messages|length - 2',
    'loop.index - ns.m',
    '3 - loop.revindex0 - loop.length',
  ]
  const lists = ['messages', 'messages[::-1]', 'messages[1:]', 'messages[:-1]', 'messages[::-1][1:]']

  it.each(lists)('over %s', (list) => {
    const edges =
      '{{ loop.first }}{{ loop.last }}{{ loop.previtem is defined }}{{ (loop.nextitem or messages[0]).role }}'
    const bodies = [edges]
    for (const counter of counters) {
      for (const other of others) {
        const compared = ['==', '!=', '<', '<=', '>', '>='].map(
          (operator) => `{{ 1 if loop.${counter} ${operator} ${other} else 0 }}`,
        )
        const item = `messages[loop.${counter} - (${other})]`
        bodies.push(compared.join(''), `{{ ${item}.role }}`, `{{ ${item} is defined }}`)
        bodies.push(`{{ loop.${counter} - (${other}) }}`)
      }
    }
    for (const body of bodies) {
      const { different, lost } = grown(loop(`{{ message.role }}${body}`, head, list), 3)
      expect(different.slice(0, 1).join(), body).toBe('')
      expect(lost).toBe(0)
    }
  })
})

describe('runs all turns again', () => {
  it.each([
    ['where the list itself is printed', loop('{{ message.role }}{{ messages|length }}')],
    ['where a sum begins with it', loop('{{ message.role }}{{ messages|length + 1 + message.role|length }}')],
    ['where a text begins with it', loop("{{ messages|length|string + '/' + message.role }}")],
    [
      'of a macro that is another at times',
      loop(
        '{{ f() }}',
        '{% if messages|length > 3 %}{% macro f() %}A{% endmacro %}{% else %}{% macro f() %}B{% endmacro %}{% endif %}',
      ),
    ],
    [
      'of a macro that looks at the conversation',
      loop('{{ f() }}', '{% macro f() %}{{ messages|length }}{% endmacro %}'),
    ],
    [
      'with a time in a form of the message',
      loop('{{ message.role }}{{ strftime_now(message.role[:0] ~ "%S") }}'),
    ],
    ['with a cycler', loop('{{ message.role }}{{ c.next() }}', "{% set c = cycler('a', 'b') %}")],
    ['with a joiner', loop('{{ j() }}{{ message.role }}', "{% set j = joiner(',') %}")],
    ['with loop.changed', loop('{{ message.role }}{{ loop.changed(message.role) }}')],
    [
      'with an iterator in a variable',
      loop(
        '{{ message.role }}{{ rest|first }}',
        "{% set rest = messages|selectattr('role', 'equalto', 'user') %}",
      ),
    ],
    [
      'with an iterator in a list',
      loop('{{ message.role }}{{ rest[0]|first }}', "{% set rest = [messages|map(attribute='role')] %}"),
    ],
    [
      'with a namespace under a second name',
      loop(
        '{% set other.n = other.n + 1 %}{{ message.role }}{{ ns.n }}',
        '{% set ns = namespace(n=0) %}{% set other = ns %}',
      ),
    ],
    [
      'with a namespace in a list',
      loop(
        '{{ message.role }}{{ all[0].n }}',
        '{% set ns = namespace(n=messages|length) %}{% set all = [ns] %}',
      ),
    ],
    [
      'with a dict that a block changes',
      loop('{% set d.n %}{{ message.role }}{% endset %}{{ d }}', '{% set d = {} %}'),
    ],
    [
      'with a call block',
      `{% macro f() %}{{ caller() }}{% endmacro %}${loop('{% call f() %}{{ messages|length }}{% endcall %}')}`,
    ],
    [
      'with a loop that calls itself',
      '{% for message in messages recursive %}{{ message.role }}{{ messages|length }}{% endfor %}',
    ],
    [
      'with a name that a turn may set',
      loop(
        "{% if message.role == 'user' %}{% set x = 1 %}{% endif %}{{ message.role }}{{ x }}",
        '{% set x = messages|length %}',
      ),
    ],
  ])('%s', (_, source) => {
    const { different, lost, replayed } = grown(source)
    expect(different.slice(0, 1).join()).toBe('')
    expect(lost).toBe(0)
    expect(replayed).toBe(0)
  })
})
