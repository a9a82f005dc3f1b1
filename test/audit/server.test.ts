import { afterEach, describe, expect, it } from 'vitest'
import type { ServerApi } from '../../src/audit/server/server-api.js'
import { auditServer, type ServerAuditOptions } from '../../src/audit/server/server-audit.js'
import { run } from '../cli/run.js'
import { type FakeServer, fakeServer } from './fake-server.js'

const MODEL = 'models/mini-chatml'
const APIS: readonly ServerApi[] = ['vllm', 'llama.cpp', 'sglang']
const QUICK: ServerAuditOptions = { rate: 10_000, conversations: 120, controls: 3 }

let server: FakeServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})
async function start(...args: Parameters<typeof fakeServer>): Promise<string> {
  server = await fakeServer(...args)
  return server.url
}

describe.each(APIS)('%s', { timeout: 60_000 }, (api) => {
  it('is found out, and its forged turns are counted', async () => {
    const report = await auditServer(await start(api, 'unsafe', MODEL), MODEL, QUICK)
    expect(report.server.api).toBe(api)
    expect(report.tried + report.refused).toBe(120)
    expect(report.tried).toBeGreaterThan(90)
    expect(report.forged.turns).toBeGreaterThan(10)
    expect(report.forged.controls).toBeGreaterThan(report.forged.turns)
    expect(report.example).toMatchObject({ forged: expect.arrayContaining(['<|im_start|>']) })
    expect(report.example?.turnsAfter).toBeGreaterThan(report.example?.turnsBefore ?? 0)
    expect(report.verdict).toMatch(/^\d+ of \d+ hostile conversations forged/)
    expect(report.harmless.equal).toBe(report.harmless.chats)
  })
})

it.each(['vllm', 'llama.cpp'] as const)('a safe %s passes', { timeout: 60_000 }, async (api) => {
  const report = await auditServer(await start(api, 'safe', MODEL), MODEL, QUICK)
  expect(report.forged).toEqual({ controls: 0, turns: 0, conversations: 0 })
  expect(report.verdict).toMatch(/^none of \d+ hostile conversations forged a control token$/)
})

it('asks no more than it may, and only for ids', async () => {
  const url = await start('llama.cpp', 'unsafe', MODEL)
  const report = await auditServer(url, MODEL, { rate: 10_000, conversations: 10 })
  expect(report.tried + report.refused).toBe(10)
  expect(server?.asked.length).toBe(report.requests)
  expect(new Set(server?.asked)).toEqual(new Set(['GET /props', 'POST /apply-template', 'POST /tokenize']))
})

it('keeps to a rate', async () => {
  const start1 = performance.now()
  const url = await start('vllm', 'unsafe', MODEL)
  const report = await auditServer(url, MODEL, { api: 'vllm', rate: 100, conversations: 20 })
  expect(performance.now() - start1).toBeGreaterThan((report.requests - 1) * 10)
})

describe('what goes wrong', () => {
  it('no server', async () => {
    await expect(auditServer('http://127.0.0.1:1', MODEL, QUICK)).rejects.toMatchObject({
      code: 'SERVER_UNREACHABLE',
    })
    await expect(auditServer('file:///etc/passwd', MODEL, QUICK)).rejects.toMatchObject({
      code: 'INVALID_URL',
    })
    await expect(auditServer('nowhere', MODEL, QUICK)).rejects.toMatchObject({ code: 'INVALID_URL' })
  })

  it('a server that sends its readers elsewhere', async () => {
    const url = await start('vllm', 'redirects', MODEL)
    await expect(auditServer(url, MODEL, QUICK)).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' })
  })

  it('a server that answers nonsense, or that is another one', async () => {
    const url = await start('vllm', 'broken', MODEL)
    await expect(auditServer(url, MODEL, QUICK)).rejects.toThrow('no tokens, which should be a list of ids')
    await expect(auditServer(url, MODEL, { ...QUICK, api: 'llama.cpp' })).rejects.toThrow('status 404')
  })
})

it('is a command, with an exit code', { timeout: 60_000 }, async () => {
  const url = await start('vllm', 'unsafe', MODEL)
  const args = ['audit', MODEL, '--server', url, '--rate', '9999', '--conversations', '40']
  const { code, out } = await run(args)
  expect(code).toBe(3)
  expect(out).toContain('(vllm)')
  expect(out).toMatch(/hostile conversations forged \d+ turns/)
  expect((await run([...args, '--json', '--fail-on', 'none'])).code).toBe(0)
  const html = await run([...args, '--html', '-'])
  expect(html.code).toBe(3)
  expect(html.out).toMatch(/^<!doctype html>/)
  expect(html.out).toContain('<h1>Audit of the server at http://127.0.0.1:')
  expect(html.out).toContain("script-src 'none'")
  expect(html.out).toContain('&lt;|im_start|&gt;')
  const { runs } = JSON.parse((await run([...args, '--sarif', '-'])).out)
  const [{ tool, results, properties }] = runs
  expect(results.length).toBeGreaterThan(0)
  expect(properties.forged.turns).toBeGreaterThan(0)
  for (const { ruleId, ruleIndex, level, message, locations } of results) {
    expect([ruleId, level]).toEqual(['server-forged-turn', 'error'])
    expect(tool.driver.rules[ruleIndex].id).toBe(ruleId)
    expect(message.text).toMatch(/^\d+ of \d+ hostile texts as .* forged control tokens on http/)
    expect(locations[0].physicalLocation.artifactLocation.uri).toBe('models/mini-chatml/tokenizer.json')
  }
  expect((await run([...args, '--html', '-', '--json'])).code).toBe(2)
})
