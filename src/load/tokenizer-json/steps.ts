import { shortened } from '../quoted.js'
import { Fields } from './fields.js'
import type { JsonValue } from './json-reader.js'

/** Real files have up to five. */
const MAX_STEPS = 64

/** One of the pipeline's stages: what its components are called, and how each is read. */
export interface Stage<Step> {
  /** For messages: `normalizer`. */
  readonly name: string
  /** The field of a Sequence that holds its components. */
  readonly children: string
  /** Readers of the known components. */
  readonly read: ReadonlyMap<string, (fields: Fields) => Step>
}

/** Reads a stage into a flat list. A stage that is null or missing has no steps. */
export function readSteps<Step>(
  stage: Stage<Step>,
  source: string,
  path: string,
  value: JsonValue | undefined,
): Step[] {
  const steps: Step[] = []
  if (value !== null && value !== undefined) addSteps(stage, new Fields(source, path, value), steps)
  return steps
}

function addSteps<Step>(stage: Stage<Step>, fields: Fields, steps: Step[]): void {
  const type = fields.string('type')
  if (type === 'Sequence') {
    fields.list(stage.children).forEach((child, i) => {
      addSteps(stage, new Fields(fields.source, `${fields.path}.${stage.children}[${i}]`, child), steps)
    })
  } else {
    const read = stage.read.get(type)
    if (read === undefined) {
      const known = [...stage.read.keys(), 'Sequence'].join(', ')
      throw fields.unsupported(`${stage.name} ${shortened(type)}`, `this version reads ${known}`)
    }
    if (steps.length === MAX_STEPS) {
      throw fields.unsupported(`${stage.name} Sequence`, `at most ${MAX_STEPS} steps are supported`)
    }
    steps.push(read(fields))
  }
  fields.end()
}
