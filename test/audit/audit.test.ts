// The audit finds what was planted, and nothing of ours.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AuditReport, audit } from '../../src/audit/audit.js'
import type { Rule } from '../../src/audit/findings.js'
import { type Encoder, safeEncoder } from '../../src/audit/target.js'
import { PartKind, trusted } from '../../src/prompt/parts.js'
import type { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { ModelFolders } from '../fixtures/model-folder.js'
import { byteLevelJson, unigramJson } from '../fixtures/tokenizer-json.js'
import { wordPieceJson } from '../fixtures/word-models.js'

const CHATML =
  "{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"

const folders = new ModelFolders()
afterAll(() => folders.remove())

function model(tokenizer: object, template = CHATML, config: object = {}): string {
  return folders.make({
    'tokenizer.json': tokenizer,
    'tokenizer_config.json': { tokenizer_class: 'PreTrainedTokenizerFast', ...config },
    ...(template === '' ? {} : { 'chat_template.jinja': template }),
  })
}

const messagesOf = ({ findings }: AuditReport, rule: Rule): string[] =>
  findings.filter((finding) => finding.rule === rule).map(({ message }) => message)
const errorsOf = ({ findings }: AuditReport) => findings.filter(({ level }) => level === 'error')
const texts = (witnesses: readonly { kind: string; text: string }[] | undefined) =>
  witnesses?.map(({ kind, text }) => `${kind} ${text}`)

describe('a model that is not to blame', () => {
  let report: AuditReport
  beforeAll(async () => {
    report = await audit(model(byteLevelJson({ added: ['<|im_start|>', '<|im_end|>'] })))
  })

  it('has all reserved ids reached on the usual path, none here', () => {
    expect(report.summary).toMatchObject({
      reserved: 2,
      reachedByUsualPath: 2,
      reachedUnderSplit: 0,
      reachedByOurs: 0,
    })
    expect(report.reserved[0]).toMatchObject({
      name: '<|im_start|>',
      reason: 'special added token',
      flags: { special: true, normalized: false },
      usual: [{ kind: 'literal', text: '<|im_start|>' }],
      split: [],
      ours: [],
    })
  })

  it('has turns forged on the usual path, none here', () => {
    const { forgedTurns, guarantee, format } = report.chat ?? {}
    expect({ format, guarantee, openers: forgedTurns?.openers }).toEqual({
      format: 'template',
      guarantee: 'reserved-ids',
      openers: ['<|im_start|>'],
    })
    expect(forgedTurns?.ours).toEqual({ controls: 0, turns: 0, conversations: 0 })
    expect(forgedTurns?.usual.turns).toBeGreaterThan(50)
    expect(forgedTurns?.examples.usual).toMatchObject({
      place: 'user content',
      turnsBefore: 2,
      turnsAfter: 3,
    })
    expect(forgedTurns?.examples.ours).toBeUndefined()
    const report1 = forgedTurns?.byPayload.find(({ payload }) => payload.startsWith('hello <|im_end|>'))
    expect(report1).toMatchObject({ ours: { turns: 0 } })
    expect(report1?.tokens.ours).toBeGreaterThan(report1?.tokens.usual ?? 0)
    expect(errorsOf(report)).toEqual([])
  })

  it('has harmless chats with the same ids both ways', () => {
    const { chats, equal, textDiffers, notRendered, firstDivergence } = report.chat?.parity ?? {}
    expect({ equal, textDiffers, notRendered, firstDivergence }).toEqual({
      equal: chats,
      textDiffers: 0,
      notRendered: 0,
      firstDivergence: undefined,
    })
    expect(chats).toBeGreaterThan(50)
  })

  it('tells what becomes of each field', () => {
    const outcome = (place: string) => report.chat?.fields.find((field) => field.place === place)
    expect(outcome('user content')).toEqual({
      place: 'user content',
      outcome: 'rendered',
      detail: undefined,
      given: 1,
      written: 1,
      paths: ['messages[0].content'],
      trusted: false,
    })
    expect(outcome('description of a definition')?.outcome).toBe('dropped')
  })

  it('gives the same report again', async () => {
    const again = await audit(model(byteLevelJson({ added: ['<|im_start|>', '<|im_end|>'] })))
    const { model: _, ...identity } = report.identity
    expect({ ...again, identity: { ...again.identity, model: undefined } }).toEqual({
      ...report,
      identity: { ...identity, model: undefined },
    })
    expect(Object.keys(identity.sha256)).toEqual(['tokenizer.json', 'tokenizer_config.json', 'chat template'])
    expect(identity.certificate).toEqual({ holds: true, reservedIds: 2 })
  })
})

describe('planted faults', () => {
  it('a role marker that is not special', async () => {
    const added = [{ content: '<|im_start|>', special: false }, '<|im_end|>']
    const report = await audit(model(byteLevelJson({ added })))
    expect(messagesOf(report, 'marker-not-special')).toEqual([
      expect.stringMatching(/^1 of 2 reserved ids are not flagged special.*<\|im_start\|>/),
    ])
    expect(report.reserved[0]).toMatchObject({ split: [{ kind: 'literal', text: '<|im_start|>' }], ours: [] })
  })

  it('a Unigram model with a control token in its trie', async () => {
    const report = await audit(model(unigramJson({ added: ['<unk>', '<s>', '</s>', '<|user|>'] }), ''))
    const eos = report.reserved.find(({ name }) => name === '</s>')
    expect(texts(eos?.usual)).toEqual(['literal </s>'])
    expect(texts(eos?.split)).toEqual(['vocabulary </s>'])
    expect(texts(eos?.ours)).toEqual([])
    expect(messagesOf(report, 'vocabulary-reaches-reserved')).toEqual([expect.stringContaining('</s>')])
    expect(report.noChat).toContain('chat template')
  })

  it('words of a vocabulary that are control tokens, whatever their case', async () => {
    const added = ['[UNK]', '[PAD]', '[CLS]', '[SEP]', '[MASK]'].map((content) => ({
      content,
      normalized: true,
    }))
    const report = await audit(model(wordPieceJson({ added }), ''))
    const sep = report.reserved.find(({ name }) => name === '[SEP]')
    expect(texts(sep?.usual)).toContainEqual(expect.stringMatching(/^normalization /))
    expect(texts(sep?.ours)).toEqual([])
    expect(messagesOf(report, 'normalization-reaches-reserved')).toHaveLength(1)
  })

  it('a template that cuts content', async () => {
    const template = CHATML.replace('m.content', "m.content.split('</think>')[-1]").replace(
      '{% for',
      '\n{% for',
    )
    const report = await audit(model(byteLevelJson({ added: ['<|im_start|>', '<|im_end|>'] }), template))
    const cut = report.findings.filter(({ rule }) => rule === 'text-cut')
    expect(cut).toEqual([expect.objectContaining({ level: 'warning', line: 2 })])
    expect(cut[0]?.message).toContain('</think>')
    expect(messagesOf(report, 'data-decision')).not.toEqual([])
    expect(errorsOf(report)).toEqual([])
  })

  it('a template that makes tokens of what a request says', async () => {
    const template = "{% for m in messages %}{{ '<|' + m.role + '|>' + m.content + '<|end|>' }}{% endfor %}"
    const report = await audit(model(byteLevelJson({ added: ['<|user|>', '<|root|>', '<|end|>'] }), template))
    expect(report.chat?.composed).toContainEqual({
      place: 'role',
      path: 'messages[0].role',
      token: '<|root|>',
      value: 'root',
    })
    expect(errorsOf(report)).toEqual([])
  })

  it('two parts of content that spell a token together', async () => {
    const template =
      '{% for m in messages %}<|im_start|>{% if m.content is string %}{{ m.content }}{% else %}' +
      '{% for part in m.content %}{{ part.text }}{% endfor %}{% endif %}<|im_end|>{% endfor %}'
    const report = await audit(model(byteLevelJson({ added: ['<|im_start|>', '<|im_end|>'] }), template))
    expect(report.chat?.split).toMatchObject({
      usual: ['<|im_start|>', '<|im_end|>'],
      ours: [],
      witness: { first: { field: 'messages[0].content[0].text', text: '<|im_s' } },
    })
  })

  it('turns that are divided by text', async () => {
    const template = '{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}'
    const report = await audit(model(byteLevelJson({ added: ['<|im_start|>'] }), template))
    expect(report.chat?.guarantee).toBe('textual')
    expect(messagesOf(report, 'textual-turns')).toHaveLength(1)
  })
})

describe('a broken build of our own encoder', () => {
  const added = ['<|im_start|>', '<|im_end|>']
  const broken = (encoder: (tokenizer: Tokenizer) => Encoder) =>
    audit(model(byteLevelJson({ added })), { encoder })

  it('which takes data for trusted text', async () => {
    const report = await broken((tokenizer) => {
      const open = (prompt: { parts: Uint32Array; text: string }) => {
        const parts = prompt.parts.map((value, i) =>
          i % 2 === 0 && value === PartKind.data ? PartKind.trusted : value,
        )
        return { ...prompt, parts }
      }
      return {
        encodeText: (text) => tokenizer.encode(trusted(text)),
        encodePrompt: (prompt) => tokenizer.encodePacked(open(prompt)),
        promptOffsets: (prompt) => tokenizer.packedOffsets(open(prompt)),
      }
    })
    expect(report.summary.reachedByOurs).toBe(2)
    expect(new Set(errorsOf(report).map(({ rule }) => rule))).toEqual(
      new Set(['ours-reaches-reserved', 'ours-forged-turn']),
    )
    expect(report.chat?.forgedTurns.ours).toEqual(report.chat?.forgedTurns.usual)
  })

  it('which lets data suppress a token', async () => {
    const report = await broken((tokenizer) => ({
      ...safeEncoder(tokenizer),
      encodePrompt: (prompt) => {
        const ids = tokenizer.encodePacked(prompt)
        return prompt.text.includes('<__media__>') ? ids.subarray(1) : ids
      },
    }))
    expect(report.summary.reachedByOurs).toBe(0)
    expect(errorsOf(report).map(({ rule }) => rule)).toEqual(['ours-forged-turn'])
  })
})
