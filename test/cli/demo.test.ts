import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Chat } from '../../src/chat/chat.js'
import { demo } from '../../src/cli/demo.js'
import { defaultModelPath } from '../../src/cli/package-files.js'
import { visibleWidth } from '../../src/cli/terminal.js'

beforeEach(() => {
  for (const name of ['NO_COLOR', 'FORCE_COLOR', 'TERM']) vi.stubEnv(name, undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
})

async function run(options: { json?: boolean; isTTY?: boolean; columns?: number; model?: string } = {}) {
  const { json = false, isTTY = false, columns, model = defaultModelPath() } = options
  let output = ''
  const write = (text: string): void => {
    output += text
  }
  const code = await demo({ model, json, stdout: { write, isTTY, columns } })
  return { code, output }
}

describe('as text', () => {
  it('shows both sides and counts forgeries', async () => {
    const { code, output } = await run()
    expect(code).toBe(0)
    expect(output).not.toContain('\x1b')
    const [, safe = '', usual = ''] = output.split(/^\d\. .*$/m)
    expect(safe).toContain('0 forged turns, 0 forged control tokens')
    expect(safe).not.toContain('!<|')
    expect(safe).toContain('< | system | >')
    expect(usual).toContain('5 forged turns, 6 forged control tokens')
    expect(usual.match(/^ {2}! (system|observation|assistant) +!<\|\1\|>!/gm)).toHaveLength(5)
    expect(usual).toContain('!sop!')
    expect(output).toContain('2, 8006, 8008')
    expect(output).toMatch(/… \d+ more tokens/)
    expect(output).toContain('Forged turns: 0 with safetokens, 5 on the usual path. Text stays text.\n')
  })

  it('is coloured on a terminal only, and says the same', async () => {
    const plain = await run()
    const coloured = await run({ isTTY: true })
    expect(coloured.output).toContain('\x1b[31m!<|system|>!\x1b[39m')
    expect(coloured.output).toContain('\x1b[36m<|system|>\x1b[39m')
    expect(stripVTControlCharacters(coloured.output)).toBe(plain.output)
    vi.stubEnv('NO_COLOR', '1')
    expect((await run({ isTTY: true })).output).toBe(plain.output)
  })

  it.each([80, 100, 300])('fits a terminal of %d columns and one screen or so', async (columns) => {
    const lines = (await run({ columns })).output.split('\n')
    expect(Math.max(...lines.map(visibleWidth))).toBeLessThanOrEqual(Math.min(columns, 100))
    expect(lines.length).toBeLessThanOrEqual(70)
  })
})

describe('as JSON', () => {
  it('holds both sides', async () => {
    const { code, output } = await run({ json: true, isTTY: true })
    const { model, safetokens, usualPath, eosTokenIds } = JSON.parse(output)
    expect(code).toBe(0)
    expect(model).toBe(defaultModelPath())
    expect(eosTokenIds).toEqual([2, 8006, 8008])
    expect(safetokens).toMatchObject({ forgedTurns: 0, forgedControls: 0 })
    expect(usualPath).toMatchObject({ forgedTurns: 5, forgedControls: 6 })
    const names = safetokens.controls.map((control: { name: string }) => control.name)
    expect(names.join(' ')).toBe(
      '[gMASK] sop <|system|> <|user|> <|assistant|> <|observation|> <|assistant|>',
    )
    for (const { ids, controls, parts } of [safetokens, usualPath]) {
      for (const { index, id } of controls) expect(ids[index]).toBe(id)
      expect(parts.filter((part: { type: string }) => part.type === 'control')).toHaveLength(controls.length)
    }
    const forged = usualPath.controls.filter((control: { forged: boolean }) => control.forged)
    expect(forged.map((control: { name: string }) => control.name)).toEqual([
      'sop',
      '<|system|>',
      '<|system|>',
      '<|observation|>',
      '<|system|>',
      '<|assistant|>',
    ])
  })
})

it('fails when a forged turn comes through safetokens', async () => {
  const honest = Chat.prototype.encode
  const spy = vi.spyOn(Chat.prototype, 'encode').mockImplementation(function (this: Chat, messages, options) {
    const encoded = honest.call(this, messages, options)
    const ids = Uint32Array.of(...encoded.ids, this.tokenizer.getCommand('<|system|>'))
    return Object.create(encoded, { ids: { value: ids } })
  })
  try {
    const { code, output } = await run()
    expect(code).toBe(1)
    expect(output).toContain('1 forged turn, 1 forged control token of any kind')
    expect(output).toContain('This is a bug')
  } finally {
    spy.mockRestore()
  }
})

it('runs on a bare .model file, told nothing by a config', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'safetokens-'))
  try {
    const model = path.join(folder, 'some.model')
    cpSync(path.join(defaultModelPath(), 'tokenizer.model'), model)
    expect(await run({ model })).toMatchObject({ code: 0 })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it('passes on what is wrong with the model', async () => {
  await expect(run({ model: path.join(defaultModelPath(), 'none') })).rejects.toMatchObject({
    code: 'MODEL_NOT_FOUND',
  })
})
