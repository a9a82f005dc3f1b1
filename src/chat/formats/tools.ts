import { InvalidArgumentError, InvalidMessageError } from '../../errors.js'
import { type CheckedTools, checkName } from '../messages.js'
import {
  JsonText,
  jsonText,
  jsonTree,
  Printed,
  type PythonJsonOptions,
  pythonJsonDumps,
  type Tree,
} from '../python-json.js'
import { madeOnce } from './constant.js'

/** A definition or arguments as Python writes them, as data. */
export function jsonOf(value: unknown, path: string, index: number, options?: PythonJsonOptions): string {
  try {
    return madeOnce(value, options === undefined ? '' : JSON.stringify(options), () =>
      pythonJsonDumps(value, options),
    )
  } catch (cause) {
    if (!(cause instanceof InvalidArgumentError)) throw cause
    throw new InvalidMessageError(index, 'tools', `${path} cannot be written as JSON: ${cause.message}`, {
      cause,
    })
  }
}

/**
 * The definitions of a list of tools, each with its path.
 *
 * @throws InvalidArgumentError for what is no list
 */
export function toolList({
  value,
  path,
}: CheckedTools): { readonly value: unknown; readonly path: string }[] {
  const list = JsonText.is(value) ? value.items() : value
  if (!Array.isArray(list)) throw new InvalidArgumentError(`${path}: a list of tool definitions was expected`)
  return list.map((item: unknown, i) => ({ value: item, path: `${path}[${i}]` }))
}

/** A function that a model may call. */
export interface FunctionTool {
  readonly path: string
  readonly name: string
  /** Empty where there is none. */
  readonly description: string
  /** The schema of its arguments; undefined where there is none. */
  readonly parameters: Map<string, Tree> | undefined
}

/**
 * The functions of a list of tools in OpenAI's shape, for formats that write their fields one by one.
 *
 * @throws InvalidArgumentError for another shape, and for a name that is no word
 */
export function functionTools(tools: CheckedTools): readonly FunctionTool[] {
  return madeOnce(tools.value, `functions of ${tools.path}`, () => readFunctionTools(tools))
}

function readFunctionTools(tools: CheckedTools): readonly FunctionTool[] {
  return toolList(tools).map(({ value, path }) => {
    // Writing and reading makes one kind of value of objects, maps and `jsonText()`.
    const tool = jsonTree(jsonText(jsonOf(value, path, 0)))
    const definition = field(tool, 'function')
    const [type, description] = [field(tool, 'type'), field(definition, 'description') ?? '']
    const parameters = field(definition, 'parameters')
    const name = checkName('name', field(definition, 'name'), 'safe', (_, reason) => {
      throw new InvalidArgumentError(`${path}.function: ${reason}`)
    })
    const wrong =
      (type !== undefined && type !== 'function') ||
      name === undefined ||
      typeof description !== 'string' ||
      !(parameters === undefined || parameters instanceof Map)
    if (wrong) {
      throw new InvalidArgumentError(
        `${path}: { type: 'function', function: { name, description, parameters } } was expected`,
      )
    }
    return { path: `${path}.function`, name, description, parameters }
  })
}

/** A member of an object; undefined where there is none, or null. */
function field(tree: Tree | undefined, name: string): Tree | undefined {
  const value = tree instanceof Map ? tree.get(name) : undefined
  return value instanceof Printed && value.text === 'null' ? undefined : value
}
