// The audit as a program, over builds of our own encoder that are broken: it must find what they let through.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { AuditReport } from '../../src/audit/audit.js'
import { ModelFolders } from '../fixtures/model-folder.js'
import { byteLevelJson, unigramJson } from '../fixtures/tokenizer-json.js'
import { BrokenAddons, type Fault, noBuild } from './broken-addon.js'

const CLI = path.resolve(import.meta.dirname, '../../dist/cli.mjs')
const missing = existsSync(CLI) ? noBuild() : 'dist/cli.mjs is missing: run "npm run build:ts"'
if (missing !== undefined) console.log(`no broken builds are tried: ${missing}`)

const TEMPLATE =
  "{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"

/** Data are searched for reserved tokens, as trusted text is. */
const DATA_AS_TRUSTED: Fault = {
  source: 'core/pipeline_tokenizer.cpp',
  right: 'scratch.pipeline.has_data ? added_tokens_.in_text() : added_tokens_.in_trusted_text();',
  wrong: 'added_tokens_.in_trusted_text();',
}
/** The same in SentencePiece models. */
const PIECES_AS_TRUSTED: Fault = {
  source: 'core/sentencepiece_tokenizer.cpp',
  right:
    'void SentencePieceTokenizer::add_data(std::string_view text, EncodeScratch& scratch, Ids&) const {\n' +
    '  normalizer_.add_text(text, scratch.position, scratch.unit);',
  wrong:
    'void SentencePieceTokenizer::add_data(std::string_view text, EncodeScratch& scratch, Ids& ids) const {\n' +
    '  add_trusted(text, scratch, ids);',
}
/** Trusted runs are searched with the data around them, so that both spell a token together. */
const NO_BARRIER: Fault = {
  source: 'core/pipeline_tokenizer.cpp',
  right: '  for (const TrustedRun& run : unit.runs) {',
  wrong:
    '  const std::array<TrustedRun, 1> whole{{{0, unit.text.size()}}};\n  for (const TrustedRun& run : whole) {',
}
/** Reserved tokens stay among those that are looked for in text. */
const NO_MASK: Fault = {
  source: 'core/pipeline_added_tokens.cpp',
  right: 'return vocabulary.is_reserved(id);',
  wrong: 'return vocabulary.size() <= id;',
}
/** Reserved tokens stay in the vocabulary of a Unigram model. */
const NO_UNIGRAM_MASK: Fault = {
  source: 'core/unigram_encoder.cpp',
  right: '!vocabulary.is_reserved(id) && !is_byte[id]',
  wrong: '!is_byte[id]',
}
const NO_CERTIFICATE: Fault = {
  source: 'core/certificate.cpp',
  right: 'if (emittable[id]) {',
  wrong: 'if (emittable[id] && id == vocabulary.size()) {',
}

interface Outcome {
  readonly status: number | null
  readonly stderr: string
  readonly report: AuditReport | undefined
}

describe.skipIf(missing !== undefined)('the audit of a broken build', () => {
  const folders = new ModelFolders()
  const addons = new BrokenAddons()
  afterAll(() => {
    folders.remove()
    addons.remove()
  })
  const chatml = (): string =>
    folders.make({
      'tokenizer.json': byteLevelJson({ added: ['<|im_start|>', '<|im_end|>'] }),
      'tokenizer_config.json': { tokenizer_class: 'PreTrainedTokenizerFast' },
      'chat_template.jinja': TEMPLATE,
    })

  function audit(model: string, faults: readonly Fault[]): Outcome {
    const env = faults.length === 0 ? {} : { SAFETOKENS_BINARY: addons.build(faults) }
    const args = [CLI, 'audit', model, '--json', '--controls', '2']
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      env: { ...process.env, ...env },
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    })
    return { status, stderr, report: stdout === '' ? undefined : (JSON.parse(stdout) as AuditReport) }
  }

  const errors = ({ report }: Outcome): string[] =>
    report?.findings.filter(({ level }) => level === 'error').map(({ rule }) => rule) ?? []
  const reached = ({ report }: Outcome): string[] =>
    report?.reserved.filter(({ ours }) => ours.length > 0).map(({ name }) => name) ?? []

  it('finds nothing in the build that is there', { timeout: 60_000 }, () => {
    const outcome = audit(chatml(), [])
    expect({ ...outcome, report: errors(outcome) }).toEqual({ status: 0, stderr: '', report: [] })
    expect(reached(outcome)).toEqual([])
  })

  it('finds data that are searched for reserved tokens', { timeout: 120_000 }, () => {
    const outcome = audit(chatml(), [DATA_AS_TRUSTED])
    expect(outcome.status).toBe(3)
    expect(reached(outcome)).toEqual(['<|im_start|>', '<|im_end|>'])
    expect(outcome.report?.reserved[0]?.ours).toEqual([{ kind: 'vocabulary', text: '<|im_start|>' }])
    expect(errors(outcome)).toEqual(['ours-reaches-reserved', 'ours-forged-turn'])
    expect(outcome.report?.chat?.forgedTurns.ours.turns).toBeGreaterThan(50)
  })

  it('finds the same in a SentencePiece model', { timeout: 120_000 }, () => {
    const outcome = audit('mini', [PIECES_AS_TRUSTED])
    expect(outcome.status).toBe(3)
    expect(reached(outcome)).toEqual(expect.arrayContaining(['<|user|>', '<|system|>', '<|assistant|>']))
    expect(errors(outcome)).toContain('ours-forged-turn')
  })

  it('finds tokens that trusted text and data spell together', { timeout: 120_000 }, () => {
    const outcome = audit(chatml(), [NO_BARRIER])
    expect(outcome.status).toBe(3)
    expect(errors(outcome)).toContain('ours-forged-turn')
  })

  it('is not needed where the mask is missing: the certificate refuses the model', {
    timeout: 120_000,
  }, () => {
    const outcome = audit(chatml(), [NO_MASK])
    expect(outcome.status).toBe(1)
    expect(outcome.report).toBeUndefined()
    expect(outcome.stderr).toMatch(/can emit the reserved id \d+ \(<\|im_(start|end)\|>\) from text/)
  })

  it('finds a missing mask where the certificate is broken too', { timeout: 120_000 }, () => {
    const outcome = audit(chatml(), [NO_MASK, NO_CERTIFICATE])
    expect(outcome.status).toBe(3)
    expect(reached(outcome)).toEqual(['<|im_start|>', '<|im_end|>'])
    expect(errors(outcome)).toContain('ours-reaches-reserved')
  })

  it('finds a vocabulary that reaches a reserved id by itself', { timeout: 120_000 }, () => {
    const added = ['<unk>', '<s>', '</s>', '<|user|>']
    const model = folders.make({ 'tokenizer.json': unigramJson({ added }) })
    const outcome = audit(model, [NO_UNIGRAM_MASK, NO_CERTIFICATE])
    expect(outcome.status).toBe(3)
    expect(reached(outcome)).toContain('</s>')
    expect(outcome.report?.reserved.find(({ name }) => name === '</s>')?.ours).toEqual([
      { kind: 'vocabulary', text: '</s>' },
    ])
  })
})
