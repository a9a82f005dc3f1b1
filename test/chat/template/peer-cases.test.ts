// The test cases of @huggingface/jinja in ../shared, as real Jinja2 renders them.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sharedFile } from '../../conformance/shared-files.js'
import { readGolden } from './golden-file.js'
import { type Rendered, render } from './rendered.js'

interface ChatCase {
  readonly id: string
  readonly chat_template: string
  readonly data: Readonly<Record<string, unknown>>
}

interface UnitCase {
  readonly name: string
  readonly template: string
  readonly context: Readonly<Record<string, unknown>>
  /** Functions cannot stand in a context of ours. */
  readonly usesFunction: boolean
}

const { now, results } = readGolden<{ now: string; results: Record<string, Rendered> }>('peer-cases.json.gz')
const chats = readPeers<ChatCase[]>('chat-template-cases.json') ?? []
const units = readPeers<UnitCase[]>('template-unit-cases.json') ?? []
const before = readPeers<Record<string, { output?: string }>>('jinja2-3.1.2-real-outputs.json') ?? {}

const cases: [string, string, Readonly<Record<string, unknown>>][] = [
  ...chats.map((each): [string, string, ChatCase['data']] => [
    `chat:${each.id}`,
    each.chat_template,
    each.data,
  ]),
  ...units
    .filter((each) => !each.usesFunction)
    .map((each): [string, string, UnitCase['context']] => [
      `template:${each.name}`,
      each.template,
      each.context,
    ]),
]

describe.skipIf(cases.length === 0)('53 chats and 157 templates', () => {
  it('are all there', () => {
    expect(cases).toHaveLength(53 + 157)
    expect(cases.map(([name]) => name).sort()).toEqual(Object.keys(results).sort())
  })

  it.each(cases)('%s', (name, source, context) => {
    const ours = render(source, context, now)
    expect(ours).toEqual(results[name])
    // Jinja2 3.1.2 rendered without generation blocks.
    const text = typeof ours === 'string' ? ours : 'output' in ours ? ours.output : undefined
    expect(text).toBe(before[name]?.output)
  })
})

function readPeers<Cases>(name: string): Cases | undefined {
  const file = sharedFile('data', 'peer-tests', 'jinja', name)
  return file === undefined ? undefined : JSON.parse(readFileSync(file, 'utf8'))
}
