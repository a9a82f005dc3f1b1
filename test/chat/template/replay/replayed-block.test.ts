// Statements in front of the loops: which of them stay as they were, and that all give what they give from scratch.
import { describe, expect, it } from 'vitest'
import { parseTemplate } from '../../../../src/chat/template/parser.js'
import { replayPlan } from '../../../../src/chat/template/replay/plan.js'
import { randomNumbers } from '../../../budget/conversations.js'
import { growAndCompare, messages, type Outcome } from './growing.js'

const TOOLS = ['look_up', 'add'].map((name) => ({ type: 'function', function: { name } }))
const LOOP = '{% for message in messages %}[{{ message.role }}{{ message.content }}]{% endfor %}'

function check(source: string): Outcome {
  const outcome: Outcome = { compared: 0, replayed: 0, lost: 0, different: [] }
  let seconds = 0
  const options = { now: () => new Date(2026, 10, 30, 0, 0, seconds), specialTokens: { bos_token: '<s>' } }
  for (let seed = 0; seed < 12; seed++) {
    const random = randomNumbers(seed)
    const context = { tools: seed % 3 === 0 ? null : TOOLS, x: seed }
    growAndCompare(source, messages(random, 5), context, options, random, outcome, () => seconds++)
  }
  expect(outcome.different.slice(0, 1).join()).toBe('')
  expect(outcome.lost).toBe(0)
  return outcome
}

const blocksOf = (source: string): number => replayPlan(parseTemplate(source))?.blocks.size ?? 0

describe('stay', () => {
  it.each([
    [
      'definitions of tools',
      `{% if tools %}# Tools{% for tool in tools %}{{ tool|tojson }}{{ ',' if not loop.last }}{% endfor %}{% else %}none{% endif %}${LOOP}`,
    ],
    ['loops over tools', `{% for tool in tools or [] %}{{ tool.function.name }}{% endfor %}${LOOP}`],
    [
      'what looks at the first message',
      `{% if messages[0].role == 'system' %}S{{ messages[0].content }}{% endif %}${LOOP}`,
    ],
    [
      'what asks how many there are',
      `{% if messages|length > 3 %}many{% elif messages|length == 2 %}two{% endif %}${LOOP}`,
    ],
    [
      'what gives variables a value',
      `{% if tools %}{% set mark = '!' %}{% set tail = mark + '?' %}{% endif %}${LOOP.replace('[', '{{ mark }}')}{{ tail }}`,
    ],
    [
      'what calls a macro',
      `{% macro f(t) %}<{{ t.function.name }}>{% endmacro %}{% if tools %}{{ f(tools[0]) }}{% endif %}${LOOP}`,
    ],
    [
      'what reads a namespace',
      `{% set ns = namespace(a='x', n=0) %}{% if x %}{{ ns.a }}{% endif %}{% for m in messages %}{% set ns.n = ns.n + 1 %}{{ ns.n }}{{ m.role }}{% endfor %}`,
    ],
  ])('%s', (_, source) => {
    expect(blocksOf(source)).toBe(1)
    const { compared, replayed } = check(source)
    expect(replayed).toBeGreaterThan(compared / 3)
  })

  it('as long as what they hang on is the same', () => {
    const source =
      '{% if messages[2] is defined %}{{ messages[2].role }}{% endif %}' +
      "{% if messages[-1].role == 'user' %}U{{ messages[-1].content }}{% endif %}" +
      '{% if messages|length % 2 == 0 %}even{% else %}odd{% endif %}' +
      "{% set last = messages[-1] %}{% if last.role == 'user' %}L{{ last.content }}{% endif %}" +
      LOOP
    expect(blocksOf(source)).toBeGreaterThan(2)
    check(source)
  })

  it('where the one in front of them has become longer', () => {
    check(
      `{% if messages|length > 4 %}long{% endif %}{% if tools %}{{ tools|tojson }}{% endif %}{% if messages|length > 6 %}${'longer'.repeat(9)}{% endif %}{% for tool in tools or [] %}{{ tool.function.name }}{% endfor %}${LOOP}`,
    )
  })
})

describe('are run again', () => {
  it.each([
    [
      'where they set an attribute of a namespace',
      `{% set ns = namespace(a='x') %}{% if tools %}{% set ns.a = 'y' %}{% endif %}${LOOP.replace('[', '{{ ns.a }}')}{{ ns.a }}`,
    ],
    [
      'where they make a namespace',
      `{% if tools %}{% set ns = namespace(n=0) %}{% else %}{% set ns = namespace(n=5) %}{% endif %}{% for m in messages %}{% set ns.n = ns.n + 1 %}{{ ns.n }}{{ m.role }}{% endfor %}{{ ns.n }}`,
    ],
    ['where they ask for the time', `{% if tools %}{{ strftime_now('%S') }}{% endif %}${LOOP}`],
    [
      'where they give a value to what hangs on messages',
      `{% set n = messages|length %}{{ n }}{% if tools %}{% set n = 1 %}{% endif %}{{ n }}${LOOP}{{ n }}`,
    ],
    [
      'where they look at all messages',
      `{% if tools %}{{ messages|length }}{% for m in messages %}{{ m.role }}{% endfor %}{% endif %}${LOOP}`,
    ],
    ['where they print all messages', `{% if tools %}{{ messages|tojson }}{% endif %}${LOOP}`],
    [
      'behind a loop over messages',
      `{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + 1 %}{{ m.role }}{% endfor %}{% if tools %}{{ ns.n }}{% endif %}`,
    ],
  ])('%s', (_, source) => {
    expect(blocksOf(source)).toBe(0)
    check(source)
  })
})

describe('lists that grow', () => {
  it.each([
    ['from the end', '{% for m in messages[::-1] %}{{ m.role }}{{ m.content }}{% endfor %}'],
    [
      'from the end, under a name',
      '{% set all = messages[::-1] %}{% for m in all %}{{ m.role }}{{ loop.index }}{% endfor %}',
    ],
    ['from the end and back', '{% for m in messages[::-1][::-1] %}{{ m.role }}{{ m.content }}{% endfor %}'],
    [
      'from the end and back, under a name',
      '{% set all = messages[::-1] %}{% for m in all[::-1] %}{{ m.role }}{% endfor %}{% for m in all[::-1][::-1] %}{{ m.content }}{% endfor %}',
    ],
    [
      'of which a part is taken',
      '{% for m in messages[1::-1] %}{{ m.role }}{% endfor %}{% for m in messages[:-3:-1] %}{{ m.content }}{% endfor %}',
    ],
    [
      'or another, by what it is for',
      '{% set all = messages if messages|length % 2 == 0 else messages[::-1] %}{% for m in all %}{{ m.role }}{% endfor %}{% for m in all[::-1] %}{{ m.content }}{% endfor %}',
    ],
  ])('%s', (_, source) => {
    const outcome: Outcome = { compared: 0, replayed: 0, lost: 0, different: [] }
    for (let seed = 0; seed < 12; seed++) {
      const random = randomNumbers(seed)
      growAndCompare(source, messages(random, 5), {}, {}, random, outcome)
    }
    expect(outcome.different.slice(0, 1).join()).toBe('')
    expect(outcome.lost).toBe(0)
  })
})
