// Conversations that grow, and templates that look at them from everywhere.
import { type OriginRun, TextBuilder } from '../../../../src/chat/template/origin-text.js'
import type { GrowingRender } from '../../../../src/chat/template/replay/growing-render.js'
import {
  type ChatTemplate,
  compileTemplate,
  type RenderOptions,
} from '../../../../src/chat/template/template.js'
import { TemplateError } from '../../../../src/errors.js'
import { ATTACKS } from '../../../attacks.js'

const WORDS = [
  ...['hello', 'world', '\n', '你好', '👋', ' ', '', '</think>', '<think>', 'a</think>b', '<tool_response>'],
  ...['{"a": 1}', '  x  ', '<tool_response>y</tool_response>'],
  ...ATTACKS.slice(0, 40),
]

type Random = () => number

function below(random: Random, most: number): number {
  return Math.floor(random() * most)
}

export function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[below(random, items.length)] as Item
}

/** Messages in an order that most templates take, and sometimes in none. */
export function messages(random: Random, rounds: number): Record<string, unknown>[] {
  const text = (): string => Array.from({ length: 1 + below(random, 4) }, () => pick(random, WORDS)).join(' ')
  const content = (): unknown => (below(random, 8) === 0 ? [{ type: 'text', text: text() }] : text())
  const made: Record<string, unknown>[] = []
  if (random() < 0.6) made.push({ role: 'system', content: text() })
  let calls = 0
  for (let round = 0; round < rounds; round++) {
    made.push({ role: 'user', content: content() })
    for (let i = below(random, 3); i > 0; i--) {
      const id = `call${String(calls++).padStart(5, '0')}`
      const call = { id, type: 'function', function: { name: 'look_up', arguments: { query: text() } } }
      made.push({ role: 'assistant', content: pick(random, ['', text()]), tool_calls: [call] })
      made.push({ role: 'tool', name: 'look_up', tool_call_id: id, content: text() })
    }
    const thought = random() < 0.3 ? { reasoning_content: text() } : {}
    const said = random() < 0.2 ? `<think>${text()}</think>${text()}` : content()
    if (random() < 0.9) made.push({ role: 'assistant', content: said, ...thought })
    if (random() < 0.04) made.push({ role: 'system', content: text() })
  }
  return made
}

/** The text and runs of stretches or of a render. */
export interface Told {
  readonly text: string
  readonly runs: readonly string[]
}

export function told({ text, runs }: { readonly text: string; readonly runs: readonly OriginRun[] }): Told {
  return { text, runs: runs.map(({ start, end, origin }) => `${start}-${end} ${origin?.path ?? ''}`) }
}

export interface Outcome {
  /** Renders that were compared. */
  compared: number
  /** Renders that took over something of the one before. */
  replayed: number
  /** Renders that failed, where a whole one did not. */
  lost: number
  different: string[]
}

/**
 * Renders each beginning of a conversation anew, and with what is known of the one before.
 *
 * @param context all but the messages
 */
export function growAndCompare(
  source: string | ChatTemplate,
  conversation: readonly object[],
  context: Readonly<Record<string, unknown>>,
  options: RenderOptions,
  random: Random,
  outcome: Outcome,
  tick: () => void = () => {},
): void {
  const template = typeof source === 'string' ? compiled(source) : source
  if (template === undefined) return
  let growing: GrowingRender | undefined
  for (let at = 0, from = 0; at < conversation.length; ) {
    at += random() < 0.3 ? 2 : 1
    tick()
    const all = conversation.slice(0, at)
    const whole = attempt(() => told(template.render({ ...context, messages: all }, options).text))
    growing ??= from === 0 ? attempt(() => template.growing(context, options)) : undefined
    if (growing === undefined) {
      // After an error a new one reads all again.
      growing = attempt(() => template.growing(context, options))
      if (growing === undefined) return
      from = 0
    }
    const known = growing
    const grown = attempt(() => known.render(all.slice(from)))
    if (grown === undefined) {
      growing = undefined
      if (whole !== undefined) outcome.lost++
      continue
    }
    from = all.length
    outcome.compared++
    const { segments, same } = grown
    if (same > 0) outcome.replayed++
    const builder = new TextBuilder()
    for (const segment of segments) builder.appendText(segment)
    const ours = JSON.stringify(told(builder.build()))
    if (ours === JSON.stringify(whole)) continue
    const where = typeof source === 'string' ? source : 'template'
    outcome.different.push(`${where}\n${at} messages\n${ours}\n${JSON.stringify(whole)}`)
  }
}

export function compiled(source: string): ChatTemplate | undefined {
  return attempt(() => compileTemplate(source))
}

function attempt<Result>(run: () => Result): Result | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof TemplateError) return undefined
    throw error
  }
}

/** A template whose statements look at the conversation, at each other and at the time. */
export function randomTemplate(random: Random): string {
  const number = (depth: number, inLoop: boolean): string => {
    const leaves = ['1', '2', '3', 'messages|length', 'ns.a', 'ns.a', 'ns.b', 'x', 'y']
    if (inLoop)
      leaves.push(
        'loop.index0',
        'loop.index0',
        'loop.index',
        'loop.index',
        'ns.c',
        'loop.length',
        'loop.revindex0',
        'ns.c',
        'z',
        'loop.revindex',
      )
    if (depth === 0 || random() < 0.5) return pick(random, leaves)
    return `(${number(depth - 1, inLoop)} ${pick(random, ['+', '-', '*'])} ${number(depth - 1, inLoop)})`
  }
  const condition = (depth: number, inLoop: boolean): string => {
    const n = (): string => number(1, inLoop)
    const leaves = [
      ...[
        `${n()} > ${n()}`,
        `${n()} == ${n()}`,
        `${n()} < ${n()}`,
        'ns.flag',
        'add_generation_prompt',
        'tools',
      ],
      ...[
        `messages[(${n()}) % (messages|length)].role == 'user'`,
        `messages[-1].role == '${pick(random, ['user', 'tool'])}'`,
        'first',
      ],
    ]
    if (inLoop) {
      leaves.push('loop.last', 'loop.first', "message.role == 'user'", "message.role == 'assistant'", 'local')
      leaves.push("loop.nextitem is defined and loop.nextitem.role == 'tool'", "'x' in message.content")
      leaves.push(
        "loop.previtem is defined and loop.previtem.role == 'user'",
        'message.tool_calls is defined',
      )
    }
    if (depth === 0 || random() < 0.5) return pick(random, leaves)
    const [a, b] = [condition(depth - 1, inLoop), condition(depth - 1, inLoop)]
    return pick(random, [
      `(${a} and ${b})`,
      `(${a} or ${b})`,
      `not (${a})`,
      `(${a} if ${b} else ${pick(random, leaves)})`,
    ])
  }
  const shown = (inLoop: boolean): string =>
    pick(random, [
      `{{ ${number(1, inLoop)} }}`,
      `{{ 'a' if ${condition(1, inLoop)} else 'b' }}`,
      '{{ first }}',
      `{{ show(${number(0, inLoop)}) }}`,
      '{{ date }}',
      `{{ messages[(${number(1, inLoop)}) % (messages|length)].content }}`,
      `{{ messages|map(attribute='role')|join(',') if ${number(0, inLoop)} == 3 else '' }}`,
      `{{ (messages|selectattr('role', 'equalto', 'user')|list)[0].content }}`,
      ...(inLoop
        ? [
            `{{ ${number(1, true)} + message.role|length }}`,
            '{{ message.content }}',
            '{{ "<|" + message.role + "|>" + message.content }}',
            '{{ ns.t }}',
            '{{ inner }}',
          ]
        : []),
      ...(inLoop ? ["{{ (messages|selectattr('role', 'equalto', message.role)|list)|length }}"] : []),
    ])
  const statement = (depth: number, inLoop: boolean): string => {
    const inside = (): string => statements(depth - 1, inLoop)
    const n = (): string => number(2, inLoop)
    const simple = [
      shown(inLoop),
      shown(inLoop),
      `{% set ns.a = ${n()} %}`,
      `{% set ns.b = ${n()} %}`,
      `{% set ns.flag = ${condition(1, inLoop)} %}`,
      ...(inLoop
        ? [
            `{% set ns.c = ${n()} %}`,
            '{% set ns.t = message.content %}',
            `{% set local = ${condition(1, true)} %}`,
          ]
        : [`{% set x = ${n()} %}`, `{% set y = ${n()} %}`]),
      ...(inLoop ? [`{% set z = ${n()} %}`, `{% set inner %}${shown(true)}{% endset %}`] : []),
      ...(inLoop ? ['{% set own = namespace(k=ns.a) %}{% set own.k = own.k + 1 %}{{ own.k }}'] : []),
      ...(inLoop && random() < 0.2 ? [pick(random, ['{% break %}', '{% continue %}'])] : []),
      ...(random() < 0.05 ? ["{{ raise_exception('no') }}", "{{ strftime_now('%S') }}"] : []),
    ]
    if (depth === 0 || random() < 0.5) return pick(random, simple)
    const other = [
      `{% if ${condition(2, inLoop)} %}${inside()}{% elif ${condition(1, inLoop)} %}${inside()}{% else %}${inside()}{% endif %}`,
      `{% if ${condition(2, inLoop)} %}${inside()}{% endif %}`,
      inLoop
        ? `{% for call in ${pick(random, ['message.tool_calls', 'messages[loop.index:]', 'messages[:2]'])} %}${pick(random, ['{{ call.id }}', '{{ loop.last }}{{ ns.a }}', '{{ call.role }}', '{% set ns.c = ns.c + 1 %}', '{{ messages|length }}'])}{% endfor %}`
        : loop(depth),
      inLoop ? `{% with w = ${n()} %}{{ w }}{{ ns.b }}{% endwith %}` : loop(depth),
    ]
    return pick(random, other)
  }
  const statements = (depth: number, inLoop: boolean): string =>
    Array.from({ length: 1 + below(random, 2) }, () => statement(depth, inLoop)).join('')
  const loop = (depth: number): string => {
    const list = pick(random, [
      ...[
        'messages',
        'messages',
        'messages[1:]',
        'messages[::-1]',
        'messages[::-1]',
        'tools',
        'rest',
        'messages[:-1]',
      ],
      ...[
        "messages + [{'role': 'end', 'content': 'x'}]",
        'messages|reverse|list',
        'messages[-3:]',
        'messages[::2]',
      ],
      "messages|selectattr('role', 'equalto', 'user')|list",
    ])
    const otherwise = random() < 0.2 ? '{% else %}none' : ''
    return `{% for message in ${list} %}${statements(Math.min(depth, 1), true)}{{ message.content }}${statement(depth, true)}{% if loop.first %}F{% endif %}${otherwise}{% endfor %}`
  }
  const head =
    '{% macro show(v) %}[{{ v }}{{ bos_token }}]{% endmacro %}' +
    "{% set ns = namespace(a=0, b=messages|length - 1, c=0, flag=false, t='') %}" +
    "{% set x = 1 %}{% set y = messages|length %}{% set first = messages[0].content %}{% set date = strftime_now('%d') %}" +
    (random() < 0.3 ? '{% set messages = messages[1:] %}' : '') +
    "{% if messages[0].role == 'system' %}{% set rest = messages[1:] %}{% else %}{% set rest = messages %}{% endif %}"
  return (
    head +
    statements(2, false) +
    loop(2) +
    statements(1, false) +
    loop(2) +
    '{% if add_generation_prompt %}<|a|>{% endif %}'
  )
}
