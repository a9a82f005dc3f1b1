import { TokenizerFileError } from '../../errors.js'
import type { PostProcessorSpec, TemplateItem, TrimOffsets } from '../pipeline-spec.js'
import { quoted } from '../quoted.js'
import { Fields } from './fields.js'
import type { JsonValue } from './json-reader.js'
import { readByteLevel } from './shared-fields.js'
import { readSteps, type Stage } from './steps.js'

/**
 * A text or a special token with what is around it. The reference hands a list of these from processor to processor and
 * joins them in the end: at first one for each text, and one for each item behind a template.
 */
type Part = readonly TemplateItem[]

interface Processor {
  /** undefined where it leaves the parts as they are. */
  readonly apply?: (parts: readonly Part[]) => readonly Part[]
  readonly trimOffsets: readonly TrimOffsets[]
}

const A: Part = [{ text: 'A' }]
const B: Part = [{ text: 'B' }]

/** @param exists whether an id has a token */
export function readPostProcessor(
  source: string,
  value: JsonValue | undefined,
  exists: (id: number) => boolean,
): PostProcessorSpec | undefined {
  const stage: Stage<Processor> = {
    name: 'post_processor',
    children: 'processors',
    read: new Map<string, (fields: Fields) => Processor>([
      ['TemplateProcessing', (fields) => readTemplate(fields, exists)],
      ['BertProcessing', (fields) => readBert(fields, exists)],
      ['RobertaProcessing', (fields) => readRoberta(fields, exists)],
      ['ByteLevel', (fields) => ({ trimOffsets: trims(readByteLevel(fields)) })],
    ]),
  }
  const processors = readSteps(stage, source, '$.post_processor', value)
  if (processors.length === 0) return undefined
  const process = (...texts: Part[]): TemplateItem[] => {
    let parts: readonly Part[] = texts
    for (const { apply } of processors) if (apply !== undefined) parts = apply(parts)
    return parts.flat()
  }
  return {
    single: process(A),
    pair: process(A, B),
    trimOffsets: processors.flatMap(({ trimOffsets }) => trimOffsets),
  }
}

function trims(flags: { trimOffsets: boolean; addPrefixSpace: boolean }): readonly TrimOffsets[] {
  return flags.trimOffsets ? [{ addPrefixSpace: flags.addPrefixSpace }] : []
}

/** `[CLS] A [SEP] B [SEP]`. */
function readBert(fields: Fields, exists: (id: number) => boolean): Processor {
  const [cls, sep] = [readToken(fields, 'cls', exists), readToken(fields, 'sep', exists)]
  return {
    apply: (parts) => parts.map((part, i) => (i === 0 ? [cls, ...part, sep] : [...part, sep])),
    trimOffsets: [],
  }
}

/** `<s> A </s> </s> B </s>`. */
function readRoberta(fields: Fields, exists: (id: number) => boolean): Processor {
  const [cls, sep] = [readToken(fields, 'cls', exists), readToken(fields, 'sep', exists)]
  return {
    apply: (parts) => parts.map((part, i) => [i === 0 ? cls : sep, ...part, sep]),
    trimOffsets: trims({
      trimOffsets: fields.boolean('trim_offsets'),
      addPrefixSpace: fields.boolean('add_prefix_space'),
    }),
  }
}

/** A token and its id, which alone counts. */
function readToken(fields: Fields, name: string, exists: (id: number) => boolean): TemplateItem {
  const [token, id, ...more] = fields.list(name)
  if (typeof token !== 'string' || typeof id !== 'number' || more.length > 0) {
    throw fields.error(name, 'a token and its id were expected')
  }
  if (!exists(id)) throw fields.error(name, `the id of a token was expected, not ${id}`)
  return { id }
}

function readTemplate(fields: Fields, exists: (id: number) => boolean): Processor {
  const specials = fields.object('special_tokens')
  const ids = new Map(specials.names.map((name) => [name, readSpecial(specials.object(name), exists)]))
  const templates = [readItems(fields, 'single', ids), readItems(fields, 'pair', ids)]
  return {
    apply(parts) {
      const template = templates[parts.length - 1]
      if (template === undefined) {
        throw fields.unsupported(
          'post_processor Sequence',
          `the template would have to place ${parts.length} parts, where the reference fails`,
        )
      }
      return template.map((part) => (part === A ? parts[0] : part === B ? parts[1] : part) as Part)
    },
    trimOffsets: [],
  }
}

/** A special token of a template may stand for several ids. */
function readSpecial(fields: Fields, exists: (id: number) => boolean): Part {
  fields.string('id')
  fields.list('tokens')
  const ids = fields.list('ids').map((id, i) => {
    if (typeof id !== 'number' || !exists(id)) {
      throw fields.error(`ids`, `the id of a token was expected at ${i}, not ${quoted(id)}`)
    }
    return { id }
  })
  fields.end()
  return ids
}

/** Real templates have up to six. */
const MAX_ITEMS = 4096

function readItems(template: Fields, name: 'single' | 'pair', ids: ReadonlyMap<string, Part>): Part[] {
  let count = 0
  const parts = template.list(name).map((value, i) => {
    const path = `${template.pathOf(name)}[${i}]`
    const outer = new Fields(template.source, path, value)
    const [kind] = outer.names
    if (outer.names.length !== 1 || (kind !== 'Sequence' && kind !== 'SpecialToken')) {
      throw new TokenizerFileError(
        template.source,
        path,
        'an object with the one field "Sequence" or "SpecialToken" was expected',
      )
    }
    const item = outer.object(kind)
    const id = item.string('id')
    item.integer('type_id')
    item.end()
    if (kind === 'SpecialToken') {
      const found = ids.get(id)
      if (found === undefined) throw item.error('id', `${quoted(id)} is not among the special_tokens`)
      count += found.length
      if (count > MAX_ITEMS) {
        throw template.unsupported('TemplateProcessing', `at most ${MAX_ITEMS} ids are supported`, name)
      }
      return found
    }
    if (id === 'A') return A
    if (id === 'B' && name === 'pair') return B
    throw item.error('id', `${name === 'pair' ? '"A" or "B"' : '"A"'} was expected, not ${quoted(id)}`)
  })
  for (const text of name === 'single' ? [A] : [A, B]) {
    if (parts.filter((part) => part === text).length !== 1) {
      throw template.error(name, 'each text must occur once')
    }
  }
  return parts
}
