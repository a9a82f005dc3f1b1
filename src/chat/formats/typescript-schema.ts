import { InvalidArgumentError } from '../../errors.js'
import { Printed, pythonFloatRepr, type Tree } from '../python-json.js'

/** The most containers inside each other that the reference reads in the schema of a tool's arguments. */
const MAX_DEPTH = 118

/**
 * A JSON schema as the TypeScript type that gpt-oss was trained on. Texts stand in it as they are: a newline in a
 * description or a quote in an enum breaks out of its place, but not out of the text.
 *
 * @param path of the schema, for messages
 * @throws InvalidArgumentError for a schema that is nested deeper than 118 levels
 *
 * Source of behaviour: openai-harmony 0.0.8.
 */
export function typeScriptOf(schema: Tree, path: string): string {
  if (depthOf(schema) > MAX_DEPTH) {
    throw new InvalidArgumentError(`${path}: nested deeper than ${MAX_DEPTH} levels`)
  }
  return typeOf(schema, '')
}

function depthOf(tree: Tree): number {
  let depth = 0
  let level: readonly Tree[] = [tree]
  for (;;) {
    level = level.filter((item) => Array.isArray(item) || item instanceof Map)
    if (level.length === 0) return depth
    depth++
    level = level.flatMap((item) => [...(item as Tree[] | Map<string, Tree>).values()])
  }
}

function typeOf(schema: Tree, indent: string): string {
  const variants = listAt(schema, 'oneOf')
  if (variants) {
    const lines = variants.map((variant) => {
      const type = nullable(variant, typeOf(variant, `${indent}   `))
      return `\n${indent} | ${type}${trailing([textAt(variant, 'description'), variantDefault(variant)])}`
    })
    return lines.join('')
  }
  const types = listAt(schema, 'type')?.filter((type) => typeof type === 'string')
  if (types && types.length > 0)
    return types.map((type) => (type === 'integer' ? 'number' : type)).join(' | ')
  switch (textAt(schema, 'type')) {
    case 'object':
      return objectType(schema, indent)
    case 'string': {
      const names = listAt(schema, 'enum')?.filter((name) => typeof name === 'string') ?? []
      return names.length > 0 ? names.map((name) => `"${name}"`).join(' | ') : 'string'
    }
    case 'number':
    case 'integer':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'array': {
      const items = at(schema, 'items')
      return items === undefined ? 'Array<any>' : `${typeOf(items, indent)}[]`
    }
    default:
      return 'any'
  }
}

function objectType(schema: Tree, indent: string): string {
  const required = new Set(listAt(schema, 'required'))
  const properties = at(schema, 'properties')
  const members = properties instanceof Map ? [...properties] : []
  return [
    comment(textAt(schema, 'description'), indent),
    '{\n',
    ...members.map(([name, value]) => propertyType(required.has(name) ? name : `${name}?`, value, indent)),
    `${indent}}`,
  ].join('')
}

/** A member with the comments above it. */
function propertyType(name: string, schema: Tree, indent: string): string {
  const variants = listAt(schema, 'oneOf')
  const title = textAt(schema, 'title')
  const description = textAt(schema, 'description')
  const plain = at(schema, 'oneOf') === undefined
  const above = [
    title === undefined ? '' : `${indent}// ${title}\n${indent}//\n`,
    plain ? comment(description, indent) : '',
    exampleLines(schema, indent),
  ].join('')
  if (variants) return above + unionProperty(name, schema, variants, indent)
  const type = nullable(schema, typeOf(schema, `${indent}    `))
  const behind = plain ? trailing([propertyDefault(schema)]) : ''
  return `${above}${indent}${name}: ${type},${behind}\n`
}

function exampleLines(schema: Tree, indent: string): string {
  const examples = listAt(schema, 'examples') ?? []
  if (examples.length === 0) return ''
  const texts = examples.filter((example) => typeof example === 'string')
  return `${indent}// Examples:\n${texts.map((example) => `${indent}// - "${example}"\n`).join('')}`
}

/** A member of several types, one a line. A description that the first of them shares stands there only. */
function unionProperty(name: string, schema: Tree, variants: readonly Tree[], indent: string): string {
  const description = textAt(schema, 'description')
  const first = variants[0]
  const shared =
    description !== undefined && first !== undefined && textAt(first, 'description') === description
  const isAbove = description !== undefined && !shared
  const lines = variants.map((variant, i) => {
    const own = textAt(variant, 'description')
    const shown = (i === 0 && isAbove) || own === description ? undefined : own
    const type = nullable(variant, typeOf(variant, `${indent}   `))
    return `${indent} | ${type}${trailing([shown, propertyDefault(variant)])}\n`
  })
  return [
    isAbove ? comment(description, indent) : '',
    comment(propertyDefault(schema), indent),
    `${indent}${name}:\n`,
    ...lines,
    `${indent},\n`,
  ].join('')
}

function nullable(schema: Tree, type: string): string {
  const flag = at(schema, 'nullable')
  const isNullable = flag instanceof Printed && flag.text === 'true'
  return isNullable && !type.includes('null') ? `${type} | null` : type
}

/** The default of a member: a string in quotes, unless it is one of an enum. */
function propertyDefault(schema: Tree): string | undefined {
  const value = at(schema, 'default')
  if (value === undefined) return undefined
  return `default: ${typeof value === 'string' ? (isEnum(schema) ? value : `"${value}"`) : json(value)}`
}

/** The default of a type among several, where strings of an enum are JSON. */
function variantDefault(schema: Tree): string | undefined {
  const value = at(schema, 'default')
  if (value === undefined) return undefined
  return `default: ${typeof value === 'string' && !isEnum(schema) ? `"${value}"` : json(value)}`
}

function isEnum(schema: Tree): boolean {
  return (listAt(schema, 'enum') ?? []).length > 0
}

function comment(text: string | undefined, indent: string): string {
  return text === undefined ? '' : `${indent}// ${text}\n`
}

function trailing(comments: readonly (string | undefined)[]): string {
  const texts = comments.filter((text) => text !== undefined)
  return texts.length === 0 ? '' : ` // ${texts.join(' ')}`
}

function at(schema: Tree, name: string): Tree | undefined {
  return schema instanceof Map ? schema.get(name) : undefined
}

function textAt(schema: Tree, name: string): string | undefined {
  const value = at(schema, name)
  return typeof value === 'string' ? value : undefined
}

function listAt(schema: Tree, name: string): readonly Tree[] | undefined {
  const value = at(schema, name)
  return Array.isArray(value) ? value : undefined
}

/** JSON as Rust's serde_json prints it. */
function json(tree: Tree): string {
  if (typeof tree === 'string') return JSON.stringify(tree)
  if (tree instanceof Printed) return /\d/.test(tree.text) ? rustNumber(tree.text) : tree.text
  if (Array.isArray(tree)) return `[${tree.map(json).join(',')}]`
  return `{${[...tree].map(([key, value]) => `${JSON.stringify(key)}:${json(value)}`).join(',')}}`
}

const MAX_INTEGER = 2n ** 64n - 1n
const MIN_INTEGER = -(2n ** 63n)

/** Integers of 64 bits as they are; all else as a float, with an exponent below 1e-5 and from 1e16. */
function rustNumber(text: string): string {
  // More digits than 20 are no 64 bits, and BigInt takes quadratic time for them.
  const integer = /^-?\d{1,20}$/.test(text) ? BigInt(text) : undefined
  if (integer !== undefined && integer >= MIN_INTEGER && integer <= MAX_INTEGER) return text
  const value = rustFloat(text)
  const [mantissa = '', exponent = ''] = value.toExponential().split('e')
  const power = Number(exponent)
  if (power < -5 || power >= 16) return `${mantissa}e${power}`
  // Python begins with exponents one power earlier.
  return power === -5 ? mantissa.replace(/(\d)\.?/, '0.0000$1') : pythonFloatRepr(value)
}

/**
 * A number as serde_json reads it: as many digits as fit 64 bits, times or over a power of ten. That may miss the
 * nearest float by one.
 */
function rustFloat(text: string): number {
  const [mantissa = '', exponent = '0'] = text.replace(/^-/, '').split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = (whole + fraction).replace(/^0+/, '')
  const fits = digits.length < 20 || BigInt(digits.slice(0, 20)) <= MAX_INTEGER
  const kept = digits.slice(0, fits ? 20 : 19)
  let power = Number(exponent) - fraction.length + digits.length - kept.length
  let value = Number(BigInt(kept))
  for (; power < -308; power += 308) value /= 1e308
  value = power < 0 ? value / Number(`1e${-power}`) : value * Number(`1e${power}`)
  return text.startsWith('-') ? -value : value
}
