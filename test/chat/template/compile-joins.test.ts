// Rows of joined texts are printed without a value for the row: that must not be seen.
import { describe, expect, it } from 'vitest'
import { Chat } from '../../../src/chat/chat.js'
import { TemplateError } from '../../../src/errors.js'
import { shown } from './shown.js'

const context = { d: 'ab', e: '', m: '<b>', n: 2, l: ['x'], o: { k: 'v' } }

/** What a template writes, or its error with its place. */
function outcome(source: string, limits = {}): string {
  try {
    return shown(source, context, { limits })
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return `${error.kind}: ${error.reason}`
  }
}

const TERMS = ["'<|'", 'd', 'e', 'm|safe', 'm|upper', 'n', 'l', 'nothing', "''", 'l[0]', 'o.k']

describe('joined texts', () => {
  it.each(['+', '~'])('are the same printed and kept: %s', (operator) => {
    for (const a of TERMS) {
      for (const b of TERMS) {
        for (const c of TERMS) {
          const row = [a, b, c].join(` ${operator} `)
          expect(outcome(`{{ ${row} }}`), row).toBe(outcome(`{% set x = ${row} %}{{ x }}`))
        }
      }
    }
  })

  it('keep origins and barriers', () => {
    expect(outcome("{{ '<|' + e + '|>' + d + d }}")).toBe('<|[e:]|>[d:abab]')
    expect(outcome("{{ 'a' + 'b' + d + 'c' + 'd' }}")).toBe('ab[d:ab]cd')
    expect(outcome("{{ '<|' ~ n ~ d }}")).toBe('<|[n:2][d:ab]')
  })

  it('escape what stands before Markup', () => {
    expect(outcome('{{ m + d + m|safe + m }}')).toBe(outcome('{% set x = m + d %}{{ x + m|safe + m }}'))
  })

  it('add numbers and lists first where those come first', () => {
    expect(outcome('{{ 1 + n + 3 }}')).toBe('[n:6]')
    expect(outcome("{{ l + ['y'] + l }}")).toBe(outcome("{% set x = l + ['y'] + l %}{{ x }}"))
  })

  it('stay within the limits', () => {
    expect(outcome("{{ d + 'cdef' + d }}", { output: 8 })).toBe('[d:ab]cdef[d:ab]')
    expect(outcome("{{ d + 'cdef' + d }}", { output: 7 })).toMatch(/^limit: .*limits\.output/)
    expect(outcome("{{ d ~ 'cdef' ~ d }}", { output: 7 })).toMatch(/^limit: .*limits\.output/)
  })
})

it('warnings are made when they are read, and stay the same', async () => {
  const chatTemplate =
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{% if 'x' in m.content %}!{% endif %}{{ m.content }}<|im_end|>{% endfor %}"
  const chat = await Chat.load('models/mini-chatml', { chatTemplate })
  const encoded = chat.encode([{ role: 'user', content: 'xyz' }])
  expect(encoded.warnings).toMatchObject([{ rule: 'data-dependence:branch', path: 'messages[0].content' }])
  expect(encoded.warnings).toBe(encoded.warnings)
})
