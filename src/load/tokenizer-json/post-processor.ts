import { TokenizerFileError } from '../../errors.js'
import type { PostProcessorSpec, TemplateItem, TrimOffsets } from '../pipeline-spec.js'
import { Fields } from './fields.js'
import type { JsonValue } from './json-reader.js'
import { readByteLevel } from './shared-fields.js'
import { readSteps, type Stage } from './steps.js'

type Template = Pick<PostProcessorSpec, 'single' | 'pair'>
type Processor = Template | { readonly trimOffsets: readonly TrimOffsets[] }

const TEXT_A: TemplateItem = { text: 'A' }
const TEXT_B: TemplateItem = { text: 'B' }

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
      ['ByteLevel', readTrimOffsets],
    ]),
  }
  let template: Template | undefined
  const trimOffsets: TrimOffsets[] = []
  const processors = readSteps(stage, source, '$.post_processor', value)
  for (const processor of processors) {
    if ('trimOffsets' in processor) trimOffsets.push(...processor.trimOffsets)
    else if (template === undefined) template = processor
    else {
      const fields = new Fields(source, '$.post_processor', value)
      throw fields.unsupported('post_processor Sequence', 'only one TemplateProcessing in it is supported')
    }
  }
  if (processors.length === 0) return undefined
  return { single: [TEXT_A], pair: [TEXT_A, TEXT_B], ...template, trimOffsets }
}

function readTrimOffsets(fields: Fields): Processor {
  const { trimOffsets, addPrefixSpace } = readByteLevel(fields)
  return { trimOffsets: trimOffsets ? [{ addPrefixSpace }] : [] }
}

function readTemplate(fields: Fields, exists: (id: number) => boolean): Template {
  const specials = fields.object('special_tokens')
  const ids = new Map(specials.names.map((name) => [name, readSpecial(specials.object(name), exists)]))
  return { single: readItems(fields, 'single', ids), pair: readItems(fields, 'pair', ids) }
}

/** A special token of a template may stand for several ids. */
function readSpecial(fields: Fields, exists: (id: number) => boolean): readonly TemplateItem[] {
  fields.string('id')
  fields.list('tokens')
  const ids = fields.list('ids').map((id, i) => {
    if (typeof id !== 'number' || !exists(id)) {
      throw fields.error(`ids`, `the id of a token was expected at ${i}, not ${JSON.stringify(id)}`)
    }
    return { id }
  })
  fields.end()
  return ids
}

function readItems(
  template: Fields,
  name: 'single' | 'pair',
  ids: ReadonlyMap<string, readonly TemplateItem[]>,
): TemplateItem[] {
  const items = template.list(name).flatMap((value, i) => {
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
      if (found === undefined) throw item.error('id', `${JSON.stringify(id)} is not among the special_tokens`)
      return found
    }
    if (id === 'A') return [TEXT_A]
    if (id === 'B' && name === 'pair') return [TEXT_B]
    throw item.error(
      'id',
      `${name === 'pair' ? '"A" or "B"' : '"A"'} was expected, not ${JSON.stringify(id)}`,
    )
  })
  for (const text of name === 'single' ? [TEXT_A] : [TEXT_A, TEXT_B]) {
    if (items.filter((item) => item === text).length !== 1) {
      throw template.error(name, 'each text must occur once')
    }
  }
  return items
}
