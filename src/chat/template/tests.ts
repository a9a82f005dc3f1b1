import { bind, signature } from './arguments.js'
import { binary } from './arithmetic.js'
import { ofContent, union } from './dependence.js'
import { isIterable } from './iteration.js'
import { compare, equals } from './operators.js'
import { str } from './python-text.js'
import type { Rendering } from './rendering.js'
import { isLowerText, isUpperText } from './string-predicates.js'
import { bool, int, type KeywordArguments, type Value } from './value.js'

/**
 * Tests: `value is name(args)`. Types, presence and identity are shape; what looks at the content of a text
 * depends on it.
 *
 * @see Jinja2 3.1.6 `tests.py`
 */
export type Test = (
  rendering: Rendering,
  value: Value,
  args: readonly Value[],
  kwargs: KeywordArguments | null,
) => Value

function test(
  name: string,
  parameters: string,
  body: (rendering: Rendering, value: Value, args: readonly (Value | undefined)[]) => Value,
): [string, Test] {
  const expected = signature(name, parameters)
  return [name, (rendering, value, args, kwargs) => body(rendering, value, bind(expected, args, kwargs))]
}

/** A test of the type. */
function shape(name: string, holds: (value: Value) => boolean): [string, Test] {
  return test(name, '', (_rendering, value) => bool(holds(value), value.depends))
}

function comparison(operator: Parameters<typeof compare>[1], ...names: string[]): [string, Test][] {
  return names.map((name) =>
    test(name, 'other /', (rendering, value, [other]) => compare(rendering, operator, value, other as Value)),
  )
}

function remainder(rendering: Rendering, value: Value, divisor: Value, expected: number): Value {
  const rest = binary(rendering, '%', value, divisor)
  return bool(equals(rendering, rest, int(expected)), union(ofContent(value), ofContent(divisor)))
}

function textTest(name: string, holds: (text: string) => boolean): [string, Test] {
  return test(name, '', (rendering, value) => {
    const text = str(rendering, value)
    rendering.spell(text)
    return bool(holds(text.text), ofContent(value))
  })
}

const SEQUENCES = new Set(['str', 'bytes', 'list', 'tuple', 'dict', 'range', 'undefined'])

/** `a is b`; small ints are one object in CPython. */
function isSame(rendering: Rendering, a: Value, b: Value): boolean {
  if (a === b) return true
  if (a.kind !== b.kind) return false
  if (a.kind === 'bool' || a.kind === 'none') return equals(rendering, a, b)
  if (a.kind === 'int') return a.value >= -5 && a.value <= 256 && equals(rendering, a, b)
  return a.kind === 'str' && a.text.text === '' && equals(rendering, a, b)
}

/** Whether a text is the name of something in the environment. */
export function nameTest(name: string, table: () => ReadonlyMap<string, unknown>): [string, Test] {
  return test(name, '', (_rendering, value) =>
    bool(value.kind === 'str' && table().has(value.text.text), ofContent(value)),
  )
}

/** All tests but `filter` and `test`, which need to know the environment. */
export const VALUE_TESTS: ReadonlyMap<string, Test> = new Map([
  shape('boolean', ({ kind }) => kind === 'bool'),
  shape('callable', (value) =>
    value.kind === 'instance'
      ? value.call !== undefined
      : value.kind === 'callable' || value.kind === 'undefined',
  ),
  shape('defined', ({ kind }) => kind !== 'undefined'),
  test('divisibleby', 'num', (rendering, value, [num]) => remainder(rendering, value, num as Value, 0)),
  shape('escaped', (value) => value.kind === 'str' && value.markup),
  test('even', '', (rendering, value) => remainder(rendering, value, int(2), 0)),
  shape('false', (value) => value.kind === 'bool' && !value.value),
  shape('float', ({ kind }) => kind === 'float'),
  test('in', 'seq', (rendering, value, [seq]) => compare(rendering, 'in', value, seq as Value)),
  shape('integer', ({ kind }) => kind === 'int'),
  shape('iterable', isIterable),
  textTest('lower', isLowerText),
  shape('mapping', ({ kind }) => kind === 'dict'),
  shape('none', ({ kind }) => kind === 'none'),
  shape('number', ({ kind }) => kind === 'int' || kind === 'float' || kind === 'bool'),
  test('odd', '', (rendering, value) => remainder(rendering, value, int(2), 1)),
  test('sameas', 'other', (rendering, value, [other]) =>
    bool(isSame(rendering, value, other as Value), union(value.depends, (other as Value).depends)),
  ),
  shape('sequence', ({ kind }) => SEQUENCES.has(kind)),
  shape('string', ({ kind }) => kind === 'str'),
  shape('true', (value) => value.kind === 'bool' && value.value),
  shape('undefined', ({ kind }) => kind === 'undefined'),
  textTest('upper', isUpperText),
  ...comparison('==', '==', 'eq', 'equalto'),
  ...comparison('!=', '!=', 'ne'),
  ...comparison('>', '>', 'gt', 'greaterthan'),
  ...comparison('>=', '>=', 'ge'),
  ...comparison('<', '<', 'lt', 'lessthan'),
  ...comparison('<=', '<=', 'le'),
])
