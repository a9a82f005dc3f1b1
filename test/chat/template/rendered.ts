import { jsonText } from '../../../src/chat/python-json.js'
import { type ChatTemplate, compileTemplate } from '../../../src/chat/template/template.js'
import { TemplateError } from '../../../src/errors.js'

/** What came of a render, as the golden files spell it: the output alone where it has no generation blocks. */
export type Rendered =
  | string
  /** The stretches of generation blocks as transformers computes them, but in UTF-16 units. */
  | { readonly output: string; readonly generations: readonly (readonly [number, number])[] }
  /** `raised` has the template's own message, the other kinds none. */
  | { readonly error: { readonly kind: string; readonly message?: string } }

/** A context of which each variable is given as JSON, without loss. */
export function contextOf(variables: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(variables).map(([name, text]) => [name, jsonText(text)]))
}

/** Compiles and renders; all that a hostile or broken template may do is fail with a TemplateError. */
export function render(source: string, context: Readonly<Record<string, unknown>>, now: string): Rendered {
  try {
    return renderCompiled(compileTemplate(source), context, now)
  } catch (error) {
    return failed(error)
  }
}

export function renderCompiled(
  template: ChatTemplate,
  context: Readonly<Record<string, unknown>>,
  now: string,
): Rendered {
  try {
    const { text, generations } = template.render(context, { now: () => new Date(now) })
    if (generations.length === 0) return text.text
    return { output: text.text, generations: generations.map(({ start, end }) => [start, end]) }
  } catch (error) {
    return failed(error)
  }
}

function failed(error: unknown): Rendered {
  if (!(error instanceof TemplateError)) throw error
  const { kind, reason } = error
  return { error: kind === 'raised' ? { kind, message: reason } : { kind } }
}
