// The benchmark runs, without peers, which `npm test` does not fetch. With the built package.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')

it('measures a small model', { timeout: 300_000 }, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'safetokens-bench-'))
  try {
    const [json, markdown] = [path.join(folder, 'results.json'), path.join(folder, 'results.md')]
    const only = 'load,replay,messages,count,decode,stream,batch,hostile: spaces'
    const args = ['bench/run.mjs', '--quick', '--peers', 'safetokens', '--only', only]
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [...args, '--json', json, '--markdown', markdown],
      { cwd: root },
    )
    expect(readFileSync(markdown, 'utf8')).toBe(`${stdout.trimEnd()}\n`)
    const { models } = JSON.parse(readFileSync(json, 'utf8'))
    expect(models).toHaveLength(1)
    expect(models[0].exact.safetokens.differ).toBe(0)
    const cells = models[0].cells as { workload: string; ms: number[]; failed?: string }[]
    const rows = only
      .replace('replay', 'replay,replay, no memo')
      .replace('messages', 'messages,messages, no memo')
    expect(cells.map(({ workload }) => workload).join()).toBe(rows)
    for (const { ms, failed } of cells)
      expect({ ms, failed }).toEqual({ ms: [expect.any(Number)], failed: undefined })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
