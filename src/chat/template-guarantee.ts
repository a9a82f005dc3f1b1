import { ChatFormatError } from '../errors.js'
import type { FoundToken } from '../tokenizer/token-parts.js'
import type { Guarantee } from './formats/format.js'
import type { ChatTemplate, RenderedTemplate } from './template/template.js'

/** Conversations to look at; the first that a template takes is enough. */
const PROBES: readonly (readonly object[])[] = [
  [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'b' },
    { role: 'user', content: 'c' },
  ],
  [
    { role: 'user', content: [{ type: 'text', text: 'a' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'b' }] },
    { role: 'user', content: [{ type: 'text', text: 'c' }] },
  ],
  [{ role: 'user', content: 'a' }],
]

const MARK = /<\|[^|<>\s]{1,64}\|>|<｜[^｜<>\s]{1,64}｜>/g

export interface GuaranteeInput {
  readonly template: ChatTemplate
  readonly specialTokens: Readonly<Record<string, string>>
  /** Reserved tokens that a text spells. */
  readonly find: (text: string) => readonly Pick<FoundToken, 'token'>[]
  /** The template was chosen by the caller, not by the model's folder. */
  readonly chosen: boolean
  readonly source: string
}

/**
 * What a template promises over a vocabulary. `reserved-ids` when a reserved id stands at every border between two
 * turns, begin and end of text not counted: they are no role markers.
 *
 * @throws ChatFormatError when the caller chose a template whose marks (`<|…|>`) the vocabulary lacks
 */
export function templateGuarantee(input: GuaranteeInput): Guarantee {
  const { template, specialTokens, find, chosen, source } = input
  const ends = new Set([specialTokens.bos_token, specialTokens.eos_token])
  const marks = [...new Set(template.literals.flatMap((literal) => literal.match(MARK) ?? []))]
  const missing = marks.filter((mark) => find(mark).length === 0)
  if (chosen && missing.length > 0 && missing.length === marks.filter((mark) => !ends.has(mark)).length) {
    throw new ChatFormatError(
      `${source}: the chat template does not fit this model, whose vocabulary lacks ${missing.slice(0, 8).join(' ')}; where they are plain text, say { textualMarkers: true }`,
    )
  }
  const marked = (text: string) => find(text).some(({ token }) => !ends.has(token))
  const rendered = probe(template, specialTokens)
  const between = rendered ? borders(rendered) : template.literals
  return between.length > 0 && between.every(marked) ? 'reserved-ids' : 'textual'
}

function probe(
  template: ChatTemplate,
  specialTokens: Readonly<Record<string, string>>,
): RenderedTemplate | undefined {
  for (const messages of PROBES) {
    try {
      const context = { messages, tools: null, documents: null, add_generation_prompt: true }
      return template.render(context, { specialTokens, onDataDependence: 'ignore' })
    } catch {
      // The template has rules of its own: the next conversation may please it.
    }
  }
  return undefined
}

/** What the template writes between the texts of two messages, and behind the last. */
function borders({ text }: RenderedTemplate): string[] {
  const found: string[] = []
  let between: string | undefined
  text.forEachRun((start, end, origin) => {
    if (origin === null) {
      if (between !== undefined) between += text.text.slice(start, end)
      return
    }
    if (between !== undefined) found.push(between)
    between = ''
  })
  if (between !== undefined) found.push(between)
  return found
}
