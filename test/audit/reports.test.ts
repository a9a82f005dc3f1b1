import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AuditReport, audit } from '../../src/audit/audit.js'
import { RULES } from '../../src/audit/findings.js'
import { htmlReport } from '../../src/audit/report/html-report.js'
import { sarif } from '../../src/audit/report/sarif.js'
import { textReport } from '../../src/audit/report/text-report.js'
import { run } from '../cli/run.js'
import { ModelFolders } from '../fixtures/model-folder.js'
import { byteLevelJson } from '../fixtures/tokenizer-json.js'

const TEMPLATE =
  '{% for m in messages %}\n<|im_start|>{{ m.role }}\n{{ m.content.split("</think>")[-1] }}<|im_end|>{% endfor %}'

const folders = new ModelFolders()
const out = mkdtempSync(path.join(tmpdir(), 'safetokens-audit-'))
let model: string
let report: AuditReport
beforeAll(async () => {
  model = folders.make({
    'tokenizer.json': byteLevelJson({ added: ['<|im_start|>', '<|im_end|>'] }),
    'tokenizer_config.json': { tokenizer_class: 'PreTrainedTokenizerFast' },
    'chat_template.jinja': TEMPLATE,
  })
  report = await audit(model, { controls: 2 })
})
afterAll(() => {
  folders.remove()
  rmSync(out, { recursive: true })
})

const plain = { bold: (s: string) => s, dim: (s: string) => s, good: (s: string) => s, bad: (s: string) => s }

it('tells people what was found', () => {
  const text = textReport(report, plain)
  expect(text).toMatch(/the usual path +2 of 2\n/)
  expect(text).toMatch(/safetokens +0 of 2\n/)
  expect(text).toMatch(/safetokens +0 forged turns, 0 forged control tokens, in 0 conversations/)
  expect(text).toMatch(/warning text-cut \(template line 3\)/)
  expect(text).toMatch(/SHA-256 [0-9a-f]{64} tokenizer\.json/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none may drive a terminal
  expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f\u202e]/)
})

it('writes SARIF: rules, levels, and the line of the template', () => {
  const written = sarif(report, model) as {
    version: string
    runs: {
      tool: { driver: { rules: { id: string }[] } }
      results: {
        ruleId: string
        ruleIndex: number
        level: string
        locations: {
          physicalLocation: { artifactLocation: { uri: string }; region?: { startLine: number } }
        }[]
      }[]
    }[]
  }
  const [{ tool, results } = { tool: { driver: { rules: [] } }, results: [] }] = written.runs
  expect(written.version).toBe('2.1.0')
  expect(tool.driver.rules.map(({ id }) => id)).toEqual(Object.keys(RULES))
  expect(results.map(({ ruleId, level }) => ({ rule: ruleId, level }))).toEqual(
    report.findings.map(({ rule, level }) => ({ rule, level })),
  )
  for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId)
  const cut = results.find(({ ruleId }) => ruleId === 'text-cut')?.locations[0]?.physicalLocation
  expect(cut?.artifactLocation.uri).toMatch(/\/chat_template\.jinja$/)
  expect(cut?.region).toMatchObject({ startLine: 3 })
  const reached = results.find(({ ruleId }) => ruleId === 'usual-reaches-reserved')?.locations[0]
    ?.physicalLocation
  expect(reached?.artifactLocation.uri).toMatch(/\/tokenizer\.json$/)
})

it.each([
  ['a string', (template: string) => template, 3],
  [
    'a list',
    (template: string) => [
      { name: 'tool_use', template: 'x' },
      { name: 'default', template },
    ],
    10,
  ],
  ['an object', (template: string) => ({ tool_use: 'x', default: template }), 5],
])('writes the line of a template that is %s in JSON', async (_, of, line) => {
  const folder = folders.make({
    'tokenizer.json': byteLevelJson({ added: ['<|im_start|>', '<|im_end|>'] }),
    'tokenizer_config.json': JSON.stringify(
      { tokenizer_class: 'PreTrainedTokenizerFast', chat_template: of(TEMPLATE) },
      null,
      2,
    ),
  })
  const { runs } = sarif(await audit(folder, { controls: 1 }), folder) as {
    runs: { results: { ruleId: string; locations: { physicalLocation: object }[]; message: object }[] }[]
  }
  const cut = runs[0]?.results.find(({ ruleId }) => ruleId === 'text-cut')
  expect(cut?.message).toMatchObject({ text: expect.stringContaining('(line 3 of the chat template)') })
  expect(cut?.locations[0]?.physicalLocation).toEqual({
    artifactLocation: { uri: expect.stringMatching(/\/tokenizer_config\.json$/) },
    region: { startLine: line },
  })
})

it('writes a page without scripts, in which payloads are text', () => {
  const html = htmlReport(report)
  expect(html).toContain("script-src 'none'")
  expect(html).not.toContain('<script')
  expect(html).toContain('&lt;|im_start|&gt;')
  expect(html.match(/<h1>/g)).toHaveLength(1)
})

describe('the command', { timeout: 60_000 }, () => {
  const command = (...args: string[]) => run(['audit', model, '--controls', '1', ...args])

  it('prints a report, or JSON', async () => {
    expect(await command()).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringContaining('Findings: 0 errors'),
    })
    const { code, out } = await command('--json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ schema: 'safetokens-audit/1', summary: { reachedByOurs: 0 } })
  })

  it('writes files beside it', async () => {
    const [html, log] = [path.join(out, 'a.html'), path.join(out, 'a.sarif')]
    expect((await command('--html', html, '--sarif', log)).out).toContain('Findings')
    expect(readFileSync(html, 'utf8')).toMatch(/^<!doctype html>/)
    expect(JSON.parse(readFileSync(log, 'utf8'))).toMatchObject({ version: '2.1.0' })
  })

  it.each([
    ['none', 0],
    ['error', 0],
    ['warning', 3],
    ['note', 3],
    ['text-cut', 3],
    ['error,composed-token', 0],
    ['frob', 2],
  ])('fails on %s with %i', async (list, expected) => {
    const { code } = await command('--fail-on', list)
    expect(code).toBe(expected)
  })

  it('says what it does not take', async () => {
    expect((await run(['audit'])).code).toBe(2)
    expect((await run(['audit', model, model])).code).toBe(2)
    expect((await command('--json', '--html', '-')).code).toBe(2)
    expect((await command('--rate', '0', '--server', 'http://127.0.0.1:1')).code).toBe(2)
    expect((await run(['audit', 'no/such-model'])).code).toBe(1)
  })
})
