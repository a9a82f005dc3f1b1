import { InvalidArgumentError } from '../errors.js'
import { type JsonText, jsonText, pythonJsonDumps } from './python-json.js'

const NEEDLE = { needle: 'in the haystack' }
const NEEDLE_TEXT = JSON.stringify(NEEDLE).replace(':', ': ')

type Form = 'object' | 'string'

/**
 * The arguments of tool calls in the form that a chat template needs: servers send them as a string of JSON, many
 * templates can only write an object, and some only a string. What the template can write stays as it came, so that
 * harmless calls give what the reference gives; only what it would garble is converted.
 *
 * Which forms a template can write is tried out once, on the first call.
 */
export class ToolArguments {
  readonly #render: (messages: readonly object[]) => string
  #forms: ReadonlySet<Form> | undefined

  /** @param render the text of a conversation; it may throw */
  constructor(render: (messages: readonly object[]) => string) {
    this.#render = render
  }

  fit(message: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const { tool_calls: calls } = message
    if (!Array.isArray(calls) || calls.length === 0) return message
    const fitted = calls.map((call: unknown) => this.#fitCall(call))
    return fitted.some((call, i) => call !== calls[i]) ? { ...message, tool_calls: fitted } : message
  }

  #fitCall(call: unknown): unknown {
    if (typeof call !== 'object' || call === null) return call
    const { function: inner } = call as { function?: unknown }
    if (typeof inner !== 'object' || inner === null) return this.#fitFunction(call)
    const fitted = this.#fitFunction(inner)
    return fitted === inner ? call : { ...call, function: fitted }
  }

  #fitFunction(body: object): object {
    const { arguments: given } = body as { arguments?: unknown }
    if (given === undefined || given === null) return body
    this.#forms ??= this.#tryForms()
    const form = typeof given === 'string' ? 'string' : 'object'
    const other = form === 'string' ? 'object' : 'string'
    if (this.#forms.has(form) || !this.#forms.has(other)) return body
    return { ...body, arguments: form === 'string' ? parsed(given as string) : pythonJsonDumps(given) }
  }

  #tryForms(): ReadonlySet<Form> {
    const forms = new Set<Form>()
    if (this.#writes(NEEDLE)) forms.add('object')
    if (this.#writes(NEEDLE_TEXT)) forms.add('string')
    return forms
  }

  /** Whether the template writes these arguments as JSON or in a form of its own, and not as Python or quoted twice. */
  #writes(given: unknown): boolean {
    const call = { id: 'call00000', type: 'function', function: { name: 'probe', arguments: given } }
    for (const content of ['', null]) {
      try {
        const text = this.#render([
          { role: 'user', content: 'x' },
          { role: 'assistant', content, tool_calls: [call] },
          { role: 'tool', content: 'y', name: 'probe', tool_call_id: 'call00000' },
        ])
        if (text.includes('\\"needle') || text.includes("'needle'")) return false
        if (typeof given === 'string' ? text.includes(NEEDLE_TEXT) : text.includes(NEEDLE.needle)) return true
      } catch {
        // The template takes no such call, or no such content.
      }
    }
    return false
  }
}

/** Arguments that are no JSON stay as the model wrote them. */
function parsed(text: string): JsonText | string {
  try {
    return jsonText(text)
  } catch (error) {
    if (error instanceof InvalidArgumentError) return text
    throw error
  }
}
