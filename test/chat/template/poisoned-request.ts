/** Requests in which every string and many keys carry a mark that can be found again in a rendered template. */

/** Marks stand between signs that no template and no conversation has, and spell a control token. */
export const MARK: RegExp = /\u2801<\|im_start\|>(\d+)\u2802/g
/** The signs alone: what is left of a mark that a template has taken apart. */
export const SIGNS: RegExp = /[\u2801\u2802]/g

/**
 * `values`: every string but roles and types. `types`: every string but roles. `keys`: every object has one more key,
 * as well.
 */
export type Poison = 'values' | 'types' | 'keys'

export interface PoisonedRequest {
  readonly context: Readonly<Record<string, unknown>>
  readonly specialTokens: Readonly<Record<string, string>>
  /** The path of each mark, by its number. */
  readonly paths: readonly string[]
}

/** @param variables each as JSON; those that end in `_token` are the special tokens of the model */
export function poisonRequest(variables: Readonly<Record<string, string>>, poison: Poison): PoisonedRequest {
  const paths: string[] = []
  const specialTokens: Record<string, string> = {}
  const context: Record<string, unknown> = {}

  const mark = (path: string): string => `\u2801<|im_start|>${paths.push(path) - 1}\u2802`
  const poisoned = (value: unknown, path: string, key: string): unknown => {
    if (typeof value === 'string') {
      const isRole = key === 'role' && /^messages\[\d+\]\.role$/.test(path)
      if (isRole || (key === 'type' && poison !== 'types')) return value
      // In front and behind in turn, since templates look at both ends.
      return paths.length % 2 === 0 ? mark(path) + value : value + mark(path)
    }
    if (Array.isArray(value)) return value.map((item, i) => poisoned(item, `${path}[${i}]`, ''))
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).map(([name, item]) => [
      name,
      poisoned(item, path + step(name), name),
    ])
    if (poison === 'keys') {
      const name = mark(`${path}{}`)
      paths[paths.length - 1] = `${path}{${JSON.stringify(name)}}`
      const [, like = 'x'] = Object.entries(value)[0] ?? []
      entries.push([name, poisoned(like, path + step(name), '')])
    }
    return Object.fromEntries(entries)
  }
  for (const [name, text] of Object.entries(variables)) {
    const value: unknown = JSON.parse(text)
    if (name.endsWith('_token') && typeof value === 'string') specialTokens[name] = value
    else context[name] = poisoned(value, name, name)
  }
  return { context, specialTokens, paths }
}

function step(name: string): string {
  return /^[\p{L}_$][\p{L}\d_$]*$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
}
