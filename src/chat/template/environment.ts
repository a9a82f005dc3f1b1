import { getAttributeOnly } from './access.js'
import { mapWith, selectWith } from './filters/applying.js'
import { type Filter, filter } from './filters/filter.js'
import { HTML_FILTERS } from './filters/html.js'
import { NUMBER_FILTERS } from './filters/number.js'
import { PRETTY_PRINT } from './filters/pprint.js'
import { SEQUENCE_FILTERS } from './filters/sequence.js'
import { TEXT_FILTERS } from './filters/text.js'
import { toJson } from './json.js'
import { typeError } from './python-error.js'
import { nameTest, type Test, VALUE_TESTS } from './tests.js'
import { Str } from './value.js'

/** The filters and tests of Jinja2 3.1.6, as the environment of transformers has them. */

/** transformers replaces Jinja2's own filter, so that nothing is escaped for HTML. */
const TO_JSON = filter(
  'tojson',
  'ensure_ascii? indent? separators? sort_keys?',
  (rendering, value, [ensureAscii, indent, separators, sortKeys]) =>
    new Str(toJson(rendering, value, { ensureAscii, indent, separators, sortKeys }), value.depends),
)

const ATTRIBUTE = filter('attr', 'name', (rendering, value, [name]) => {
  if (name?.kind !== 'str') throw typeError('attribute name must be string')
  return getAttributeOnly(rendering, value, name)
})

export const TESTS: ReadonlyMap<string, Test> = new Map([
  ...VALUE_TESTS,
  nameTest('filter', () => FILTERS),
  nameTest('test', () => TESTS),
])

export const FILTERS: ReadonlyMap<string, Filter> = new Map([
  ...TEXT_FILTERS,
  ...SEQUENCE_FILTERS,
  ...NUMBER_FILTERS,
  ...HTML_FILTERS,
  ATTRIBUTE,
  PRETTY_PRINT,
  TO_JSON,
  ['map', mapWith(() => FILTERS)],
  ['select', selectWith(() => TESTS, true, false)],
  ['reject', selectWith(() => TESTS, false, false)],
  ['selectattr', selectWith(() => TESTS, true, true)],
  ['rejectattr', selectWith(() => TESTS, false, true)],
])
