import { LinearPattern, type StepBudget } from './linear-pattern.js'
import type { ArgumentIssue, JsonSchema } from './types.js'

type Fields = Readonly<Record<string, unknown>>

/** References that may follow each other, and schemas that may stand inside each other. */
const MAX_DEPTH = 100
/** Kinds that refer to each other could be tried for ever. */
const MAX_STEPS = 100_000
/** About a second. */
const MAX_PATTERN_STEPS = 10_000_000

/**
 * Checks a value against a JSON Schema, as far as schemas of tools go: types, required and further properties, items,
 * enum and const, bounds of numbers, strings and lists, patterns, combinations, `$ref` within the schema. Other keywords are
 * for the model to read: `format`, as JSON Schema 2020-12 has it unless its vocabulary for assertions is asked for, and
 * patterns that look ahead or behind or refer to groups, which cannot be searched in linear time.
 *
 * @returns what is wrong; empty where nothing is
 */
export function schemaIssues(schema: JsonSchema, value: unknown): ArgumentIssue[] {
  const issues: ArgumentIssue[] = []
  const context: Check = {
    root: schema,
    issues,
    steps: { left: MAX_STEPS },
    patterns: new Map(),
    patternSteps: { left: MAX_PATTERN_STEPS },
  }
  check(context, schema, value, '$', 0)
  return issues
}

interface Check {
  readonly root: JsonSchema
  readonly issues: ArgumentIssue[]
  readonly steps: { left: number }
  /** Compiled once; undefined for those that cannot be searched. */
  readonly patterns: Map<string, LinearPattern | undefined>
  readonly patternSteps: StepBudget
}

function check(context: Check, schema: unknown, value: unknown, path: string, depth: number): unknown {
  const report = (message: string): unknown => context.issues.push({ path, message })
  if (schema === false) return report('nothing is allowed here')
  const rules = fields(schema)
  if (rules === undefined) return undefined
  if (context.steps.left-- <= 0) return report('the schema takes too long to check')
  if (depth > MAX_DEPTH) return report(`expected at most ${MAX_DEPTH} levels of nesting`)
  if (typeof rules.$ref === 'string') {
    const target = resolve(context.root, rules.$ref)
    if (target === undefined) report(`the schema has no ${rules.$ref}`)
    else check(context, target, value, path, depth + 1)
  }
  checkCombinations(context, rules, value, path, depth)
  const types = typeof rules.type === 'string' ? [rules.type] : rules.type
  if (Array.isArray(types) && !(rules.nullable === true && value === null)) {
    if (!types.some((type) => hasType(value, type))) {
      return report(`expected ${types.join(' or ')}, not ${kindOf(value)}`)
    }
  }
  if (Array.isArray(rules.enum) && !rules.enum.some((each) => same(each, value))) {
    report(`expected one of ${shorten(JSON.stringify(rules.enum))}`)
  }
  if ('const' in rules && !same(rules.const, value))
    report(`expected ${shorten(JSON.stringify(rules.const))}`)
  if (typeof value === 'number') checkNumber(rules, value, report)
  else if (typeof value === 'string') checkText(context, rules, value, report)
  else if (Array.isArray(value)) checkItems(context, rules, value, path, depth)
  else if (typeof value === 'object' && value !== null) {
    checkMembers(context, rules, value as Fields, path, depth)
  }
  return undefined
}

function checkCombinations(context: Check, rules: Fields, value: unknown, path: string, depth: number): void {
  const passes = (schema: unknown): boolean => {
    const issues: ArgumentIssue[] = []
    check({ ...context, issues }, schema, value, path, depth + 1)
    return issues.length === 0
  }
  const report = (message: string): number => context.issues.push({ path, message })
  for (const each of list(rules.allOf)) check(context, each, value, path, depth + 1)
  const anyOf = list(rules.anyOf)
  if (anyOf.length > 0 && !anyOf.some(passes)) report('expected a value of one of the kinds of anyOf')
  const oneOf = list(rules.oneOf)
  if (oneOf.length > 0) {
    const count = oneOf.filter(passes).length
    if (count !== 1) report(`expected a value of exactly one of the kinds of oneOf, not of ${count}`)
  }
  if (rules.not !== undefined && passes(rules.not)) report('expected a value of another kind')
}

function checkNumber(rules: Fields, value: number, report: (message: string) => unknown): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = rules
  if (typeof minimum === 'number' && value < minimum) report(`expected at least ${minimum}`)
  if (typeof maximum === 'number' && value > maximum) report(`expected at most ${maximum}`)
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) {
    report(`expected more than ${exclusiveMinimum}`)
  }
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) {
    report(`expected less than ${exclusiveMaximum}`)
  }
  if (typeof multipleOf === 'number' && multipleOf > 0 && !Number.isInteger(value / multipleOf)) {
    report(`expected a multiple of ${multipleOf}`)
  }
}

function checkText(context: Check, rules: Fields, value: string, report: (message: string) => unknown): void {
  checkLength(rules, [...value].length, 'Length', 'characters', report)
  if (typeof rules.pattern !== 'string') return
  const matches = matchesPattern(context, rules.pattern, value)
  if (matches === 'too long') report(`the pattern ${shorten(rules.pattern)} takes too long to check`)
  else if (matches === false) report(`expected a text with the pattern ${shorten(rules.pattern)}`)
}

/** Undefined for a pattern that cannot be checked. */
function matchesPattern(
  { patterns, patternSteps }: Check,
  source: string,
  text: string,
): boolean | 'too long' | undefined {
  if (!patterns.has(source)) patterns.set(source, LinearPattern.compile(source))
  const pattern = patterns.get(source)
  return pattern === undefined ? undefined : (pattern.test(text, patternSteps) ?? 'too long')
}

function checkLength(
  rules: Fields,
  length: number,
  what: 'Length' | 'Items' | 'Properties',
  unit: string,
  report: (message: string) => unknown,
): void {
  const [least, most] = [rules[`min${what}`], rules[`max${what}`]]
  if (typeof least === 'number' && length < least) report(`expected at least ${least} ${unit}`)
  if (typeof most === 'number' && length > most) report(`expected at most ${most} ${unit}`)
}

function checkItems(
  context: Check,
  rules: Fields,
  value: readonly unknown[],
  path: string,
  depth: number,
): void {
  const report = (message: string): number => context.issues.push({ path, message })
  checkLength(rules, value.length, 'Items', 'items', report)
  if (rules.uniqueItems === true) {
    const texts = value.map((item) => JSON.stringify(item))
    if (new Set(texts).size < texts.length) report('expected no item twice')
  }
  const tuple = list(rules.prefixItems)
  value.forEach((item, i) => {
    const schema = i < tuple.length ? tuple[i] : rules.items
    check(context, schema, item, `${path}[${i}]`, depth + 1)
  })
}

function checkMembers(context: Check, rules: Fields, value: Fields, path: string, depth: number): void {
  const report = (message: string): number => context.issues.push({ path, message })
  const properties = fields(rules.properties) ?? {}
  const keys = Object.keys(value)
  checkLength(rules, keys.length, 'Properties', 'properties', report)
  for (const name of list(rules.required)) {
    if (typeof name === 'string' && !Object.hasOwn(value, name)) report(`expected the property ${name}`)
  }
  const patterns = Object.entries(fields(rules.patternProperties) ?? {})
  for (const key of keys) {
    const at = /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`
    let known = Object.hasOwn(properties, key)
    if (known) check(context, properties[key], value[key], at, depth + 1)
    for (const [pattern, schema] of patterns) {
      const matches = matchesPattern(context, pattern, key)
      if (matches === true) check(context, schema, value[key], at, depth + 1)
      else if (matches === 'too long') {
        context.issues.push({ path: at, message: `the pattern ${shorten(pattern)} takes too long to check` })
      }
      // One that cannot be checked may be meant for it.
      known ||= matches !== false
    }
    const others = known ? undefined : rules.additionalProperties
    if (others === false) context.issues.push({ path: at, message: 'there is no such argument' })
    else check(context, others, value[key], at, depth + 1)
  }
}

/** The schema that a `$ref` within the root names; undefined where it leads out of it or to nothing. */
export function resolve(root: JsonSchema, reference: string): unknown {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  let at: unknown = root
  for (const part of reference.slice(2).split('/')) {
    const key = decodePart(part)
    const inner = Array.isArray(at) ? (at as unknown as Fields) : fields(at)
    if (inner === undefined || key === undefined || !Object.hasOwn(inner, key)) return undefined
    at = inner[key]
  }
  return at
}

function decodePart(part: string): string | undefined {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return undefined
  }
}

function hasType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return typeof value === 'number'
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'null':
      return value === null
    case 'string':
    case 'boolean':
      return typeof value === type
    default:
      return true // a type of another dialect
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function same(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b))
}

function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function fields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}
