import type { Call, CallArguments, Expression, Node, Target, Template } from '../ast.js'
import { childrenOf, namesOf, targetsOf } from '../tree.js'

/** Methods that give a value of what they are called on, and change nothing. */
const METHODS = new Set(
  (
    'capitalize casefold center count endswith expandtabs find index join ljust lower lstrip partition removeprefix ' +
    'removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title ' +
    'translate upper zfill get items keys values copy isalnum isalpha isdecimal isdigit isspace isupper islower istitle ' +
    'isnumeric isascii isidentifier isprintable format'
  ).split(' '),
)

/** Filters that never give an iterator; all others may. */
const VALUE_FILTERS = new Set(
  (
    'abs capitalize center count dictsort e escape first float forceescape format indent int join last length list ' +
    'lower max min replace round safe sort string striptags sum title tojson trim truncate upper wordcount wordwrap'
  ).split(' '),
)

const DEFAULTS = new Set(['d', 'default'])
/** Filters that take the name of another. */
const APPLYING = 'map'

/** Attributes of `loop` that are no methods. */
const LOOP_ATTRIBUTES = new Set(
  'index index0 revindex revindex0 first last length depth depth0 previtem nextitem'.split(' '),
)

/** Functions of the environment that depend on nothing but their arguments, or end the render, and the time. */
const FUNCTIONS = new Set(['namespace', 'raise_exception', 'strftime_now', 'range', 'dict'])
/** What changes when it is used, or can be reached in more ways than by name. */
const REFUSED = new Set(['cycler', 'joiner', 'lipsum', 'self', 'caller', 'varargs', 'kwargs', 'loop'])
/** Names that must mean what they mean in every template. */
const TAKEN = new Set([...FUNCTIONS, ...REFUSED])

export function isNamespaceCall(node: Expression): node is Call {
  return node.type === 'Call' && node.node.type === 'Name' && node.node.name === 'namespace'
}

/** Names by what they are. */
export interface Names {
  readonly namespaces: ReadonlySet<string>
  readonly macros: ReadonlySet<string>
}

/**
 * The names of a template whose only changing state are its variables and the attributes of its namespaces, which are
 * only reached by name; undefined for all others. No variable of it can hold an iterator, which would be used up, nor
 * a namespace under a second name.
 */
export function regularNames(template: Template): Names | undefined {
  const given = new Map<string, Set<string>>()
  note(template, given)
  const only = (kind: string): Set<string> =>
    new Set([...given].flatMap(([name, kinds]) => (kinds.has(kind) ? [name] : [])))
  const names = { namespaces: only('namespace'), macros: only('macro') }
  const isAmbiguous = [...given].some(([name, kinds]) => kinds.size > 1 || TAKEN.has(name))
  return !isAmbiguous && isRegular(template, names) ? names : undefined
}

/** Notes what names are given to: `namespace`, `macro` or `value`. */
function note(node: Node, given: Map<string, Set<string>>): void {
  const add = (name: string, kind: string): void => {
    const kinds = given.get(name) ?? new Set()
    given.set(name, kinds.add(kind))
  }
  if (node.type === 'Macro') add(node.name, 'macro')
  if (node.type === 'Parameter') add(node.name, 'value')
  const isNamespace = node.type === 'Assign' && node.target.type === 'Name' && isNamespaceCall(node.value)
  for (const target of targetsOf(node)) {
    for (const name of namesOf(target)) add(name, isNamespace ? 'namespace' : 'value')
  }
  for (const child of childrenOf(node)) note(child, given)
}

function isRegular(node: Node, names: Names): boolean {
  switch (node.type) {
    case 'Generation':
    case 'CallBlock':
    case 'LoadTemplate':
      return false
    case 'Name':
      return isPlainName(node.name, names)
    case 'Getattr':
      return isRegularBase(node.node, node.attr, names)
    case 'Call':
      return isRegularCall(node, names)
    case 'For':
      return !node.recursive && !hasAttribute(node.target) && all(childrenOf(node), names)
    case 'Assign':
      if (node.target.type === 'TargetTuple' && hasAttribute(node.target)) return false
      if (hasUnknownNamespace(node.target, names)) return false
      if (node.target.type === 'Name' && isNamespaceCall(node.value)) return isMaking(node.value, names)
      return isKept(node.value, names)
    case 'AssignBlock':
      if (hasAttribute(node.target)) return false
      return node.filters.every(({ name }) => VALUE_FILTERS.has(name)) && all(childrenOf(node), names)
    case 'With':
      return node.values.every((value) => isKept(value, names)) && all(node.body, names)
    case 'List':
    case 'Tuple':
      return node.items.every((item) => isKept(item, names))
    case 'Pair':
      return isKept(node.key, names) && isKept(node.value, names)
    case 'Parameter':
      return node.default === undefined || isKept(node.default, names)
    case 'Filter':
    case 'FilterCall':
      if (node.name === 'random' || node.name === 'attr') return false
      if (node.name === APPLYING && !isPlainMap(node)) return false
      return all(childrenOf(node), names)
    default:
      return all(childrenOf(node), names)
  }
}

function all(nodes: readonly Node[], names: Names): boolean {
  return nodes.every((node) => isRegular(node, names))
}

/** Namespaces, macros and `loop` are only used in their own ways. */
function isPlainName(name: string, { namespaces, macros }: Names): boolean {
  return !REFUSED.has(name) && !namespaces.has(name) && !macros.has(name)
}

function isRegularBase(base: Expression, attribute: string, names: Names): boolean {
  if (base.type !== 'Name') return isRegular(base, names)
  if (base.name === 'loop') return LOOP_ATTRIBUTES.has(attribute)
  return names.namespaces.has(base.name) ? !attribute.startsWith('_') : isPlainName(base.name, names)
}

function isRegularCall(node: Call, names: Names): boolean {
  const { node: callee } = node
  if (isNamespaceCall(node)) return false // but where it is given a name
  const isMethod = callee.type === 'Getattr' && METHODS.has(callee.attr)
  if (isMethod) {
    const { node: base } = callee
    // Iterators are used up by all methods but `get`, which may hand its second argument on.
    return isRegular(base, names) && (callee.attr === 'get' ? areKept(node, names) : areUsed(node, names))
  }
  if (callee.type !== 'Name') return false
  return (FUNCTIONS.has(callee.name) || names.macros.has(callee.name)) && areKept(node, names)
}

/** `namespace(name=value, ...)` */
function isMaking(node: Call, names: Names): boolean {
  return (
    node.args.length === 0 &&
    node.dynArgs === undefined &&
    node.dynKwargs === undefined &&
    areKept(node, names)
  )
}

function areUsed({ args, kwargs, dynArgs, dynKwargs }: CallArguments, names: Names): boolean {
  return dynArgs === undefined && dynKwargs === undefined && all([...args, ...kwargs], names)
}

function areKept({ args, kwargs, dynArgs, dynKwargs }: CallArguments, names: Names): boolean {
  if (dynArgs !== undefined || dynKwargs !== undefined) return false
  return valuesOf({ args, kwargs }).every((value) => isKept(value, names))
}

/** A value that a variable, a container or a parameter may hold. */
function isKept(node: Expression, names: Names): boolean {
  return !mayBeIterator(node) && isRegular(node, names)
}

function mayBeIterator(node: Expression): boolean {
  switch (node.type) {
    case 'Filter':
      if (VALUE_FILTERS.has(node.name)) return false
      return !DEFAULTS.has(node.name) || [node.node, ...valuesOf(node)].some(mayBeIterator)
    case 'CondExpr':
      return [node.then, ...(node.else === undefined ? [] : [node.else])].some(mayBeIterator)
    case 'And':
    case 'Or':
      return mayBeIterator(node.left) || mayBeIterator(node.right)
    default:
      return false // calls neither: what they are given is none
  }
}

function valuesOf({ args, kwargs }: Pick<CallArguments, 'args' | 'kwargs'>): readonly Expression[] {
  return [...args, ...kwargs.map(({ value }) => value)]
}

/** `map('filter')` with a filter that gives a value, or `map(attribute='name')`. */
function isPlainMap({ args }: CallArguments): boolean {
  const [name] = args
  if (name === undefined) return true
  return name.type === 'Const' && typeof name.value === 'string' && VALUE_FILTERS.has(name.value)
}

function hasAttribute(target: Target): boolean {
  if (target.type === 'NSRef') return true
  return target.type === 'TargetTuple' && target.items.some(hasAttribute)
}

function hasUnknownNamespace(target: Target, { namespaces }: Names): boolean {
  return target.type === 'NSRef' && (!namespaces.has(target.name) || target.attr.startsWith('_'))
}
