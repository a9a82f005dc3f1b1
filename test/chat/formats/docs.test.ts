// docs/formats.md lists every built-in format as it is.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { chatFormats } from '../../../src/chat/formats/registry.js'

const page = readFileSync(path.join(import.meta.dirname, '../../../docs/formats.md'), 'utf8')
const rows = page
  .split('\n')
  .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|')))
  .filter((cells) => cells.length === 8 && cells[1]?.startsWith('`'))

const words = (cell = ''): string[] => cell.replaceAll('`', '').split(' ')

describe('docs/formats.md', () => {
  it('lists the formats in their order', () => {
    expect(rows.map(([, name]) => name)).toEqual(chatFormats().map(({ name }) => `\`${name}\``))
  })

  it.each(chatFormats().map((format) => [format.name, format] as const))('describes %s', (name, format) => {
    const [, , , roles, stopTokens, guarantee, tools] = rows.find((row) => row[1] === `\`${name}\``) ?? []
    expect(words(roles)).toEqual(format.roles)
    expect(words(stopTokens)).toEqual(format.stopTokens)
    expect(guarantee).toBe(format.guarantee)
    expect(tools).toBe(format.toolProtocol ? `\`${format.toolProtocol}\`` : '-')
  })
})
