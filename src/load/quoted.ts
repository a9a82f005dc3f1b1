/** Longer names are cut, in UTF-16 units. No real token or component has such a name; hostile files have megabytes. */
const MAX_LENGTH = 80

/** A name from a file as messages show it. */
export function shortened(name: string, length: number = MAX_LENGTH): string {
  if (name.length <= length) return name
  const splitsPair = /[\ud800-\udbff]/.test(name[length - 2] as string)
  const end = splitsPair ? length - 2 : length - 1
  return `${name.slice(0, end)}…`
}

/** A name or a value from a file, in JSON, as messages show it. */
export function quoted(value: unknown): string {
  return typeof value === 'string'
    ? JSON.stringify(shortened(value))
    : shortened(String(JSON.stringify(value)))
}
