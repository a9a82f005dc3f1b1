import { compileTemplate, type RenderOptions } from '../../../src/chat/template/template.js'

/**
 * A rendered template with its origins: trusted text as it is, data as `[path:text]`.
 *
 * @example shown('<|{{ x }}|>', { x: 'a' }) // '<|[x:a]|>'
 */
export function shown(
  source: string,
  context: Readonly<Record<string, unknown>> = {},
  options?: RenderOptions,
): string {
  const { text } = compileTemplate(source).render(context, options)
  return text.runs
    .map(({ start, end, origin }) => {
      const piece = text.text.slice(start, end)
      return origin === null ? piece : `[${origin.path}:${piece}]`
    })
    .join('')
}
