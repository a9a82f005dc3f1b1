import type {
  CallArguments,
  Expression,
  FilterCall,
  If,
  Node,
  Parameter,
  Slice,
  Target,
} from '../../../src/chat/template/ast.js'

/** Nodes, lists and JSON, as scripts/jinja/oracle.py writes the trees of Jinja2. */
export type JinjaTree = string | boolean | null | { int: string } | { float: string } | JinjaTree[]

const BINARY = { '+': 'Add', '-': 'Sub', '*': 'Mul', '/': 'Div', '//': 'FloorDiv', '%': 'Mod', '**': 'Pow' }
const COMPARE = {
  '==': 'eq',
  '!=': 'ne',
  '<': 'lt',
  '<=': 'lteq',
  '>': 'gt',
  '>=': 'gteq',
  in: 'in',
  'not in': 'notin',
}

/** Our syntax tree with the classes and fields of `jinja2.nodes`. */
export function jinjaTree(node: Node): JinjaTree {
  switch (node.type) {
    case 'Template':
    case 'Generation':
      return made(node.type, { body: all(node.body) })
    case 'Output':
      return made('Output', { nodes: all(node.nodes) })
    case 'TemplateData':
      return made('TemplateData', { data: node.data })
    case 'For':
      return made('For', {
        target: target(node.target, 'store'),
        iter: jinjaTree(node.iter),
        body: all(node.body),
        else_: all(node.else),
        test: optional(node.test),
        recursive: node.recursive,
      })
    case 'If':
      return ifNode(node)
    case 'Elif':
      return ifNode({ ...node, elifs: [], else: [] })
    case 'Assign':
      return made('Assign', { target: target(node.target, 'store'), node: jinjaTree(node.value) })
    case 'AssignBlock':
      return made('AssignBlock', {
        target: target(node.target, 'store'),
        filter: filterChain(node.filters),
        body: all(node.body),
      })
    case 'Macro':
      return made('Macro', { name: node.name, ...signature(node.parameters), body: all(node.body) })
    case 'CallBlock':
      return made('CallBlock', {
        call: jinjaTree(node.call),
        ...signature(node.parameters),
        body: all(node.body),
      })
    case 'FilterBlock':
      return made('FilterBlock', { body: all(node.body), filter: filterChain(node.filters) })
    case 'With':
      return made('With', {
        targets: node.targets.map((each) => target(each, 'param')),
        values: all(node.values),
        body: all(node.body),
      })
    case 'Break':
    case 'Continue':
      return made(node.type, {})
    case 'LoadTemplate':
      return made('LoadTemplate', { tag: node.tag })
    case 'Name':
      return made('Name', { name: node.name, ctx: 'load' })
    case 'Const':
      return made('Const', { value: constant(node.value) })
    case 'List':
    case 'Dict':
      return made(node.type, { items: all(node.items) })
    case 'Tuple':
      return made('Tuple', { items: all(node.items), ctx: 'load' })
    case 'Pair':
      return made('Pair', { key: jinjaTree(node.key), value: jinjaTree(node.value) })
    case 'CondExpr':
      return made('CondExpr', {
        test: jinjaTree(node.test),
        expr1: jinjaTree(node.then),
        expr2: optional(node.else),
      })
    case 'BinExpr':
      return made(BINARY[node.operator], { left: jinjaTree(node.left), right: jinjaTree(node.right) })
    case 'And':
    case 'Or':
      return made(node.type, { left: jinjaTree(node.left), right: jinjaTree(node.right) })
    case 'Concat':
      return made('Concat', { nodes: all(node.nodes) })
    case 'Compare':
      return made('Compare', { expr: jinjaTree(node.expression), ops: all(node.operands) })
    case 'Operand':
      return made('Operand', { op: COMPARE[node.operator], expr: jinjaTree(node.expression) })
    case 'Not':
    case 'Neg':
    case 'Pos':
      return made(node.type, { node: jinjaTree(node.node) })
    case 'Getattr':
      return made('Getattr', { node: jinjaTree(node.node), attr: node.attr, ctx: 'load' })
    case 'Getitem':
      return made('Getitem', { node: jinjaTree(node.node), arg: jinjaTree(node.argument), ctx: 'load' })
    case 'Slice':
      return made('Slice', {
        start: optional(node.start),
        stop: optional(node.stop),
        step: optional(node.step),
      })
    case 'Keyword':
      return made('Keyword', { key: node.key, value: jinjaTree(node.value) })
    case 'Call':
      return made('Call', { node: jinjaTree(node.node), ...callArguments(node) })
    case 'Filter':
    case 'Test':
      return made(node.type, { node: jinjaTree(node.node), name: node.name, ...callArguments(node) })
    default:
      throw new Error(`${node.type} has no node of its own in Jinja2`)
  }
}

function made(name: string, fields: Readonly<Record<string, JinjaTree>>): JinjaTree {
  return [name, ...Object.entries(fields).map(([field, value]): JinjaTree => [field, value])]
}

function all(nodes: readonly Node[]): JinjaTree[] {
  return nodes.map(jinjaTree)
}

function optional(node: Expression | Slice | undefined): JinjaTree {
  return node === undefined ? null : jinjaTree(node)
}

function ifNode(node: Pick<If, 'test' | 'body' | 'elifs' | 'else'>): JinjaTree {
  return made('If', {
    test: jinjaTree(node.test),
    body: all(node.body),
    elif_: all(node.elifs),
    else_: all(node.else),
  })
}

function target(node: Target, ctx: 'store' | 'param'): JinjaTree {
  if (node.type === 'Name') return made('Name', { name: node.name, ctx })
  if (node.type === 'NSRef') return made('NSRef', { name: node.name, attr: node.attr })
  return made('Tuple', { items: node.items.map((each) => target(each, ctx)), ctx })
}

function signature(parameters: readonly Parameter[]): { args: JinjaTree; defaults: JinjaTree } {
  return {
    args: parameters.map(({ name }) => made('Name', { name, ctx: 'param' })),
    defaults: parameters.flatMap((each) => (each.default === undefined ? [] : [jinjaTree(each.default)])),
  }
}

function callArguments({ args, kwargs, dynArgs, dynKwargs }: CallArguments): Record<string, JinjaTree> {
  return {
    args: all(args),
    kwargs: all(kwargs),
    dyn_args: optional(dynArgs),
    dyn_kwargs: optional(dynKwargs),
  }
}

/** Filters inside each other, the innermost around nothing. */
function filterChain(filters: readonly FilterCall[]): JinjaTree {
  let chain: JinjaTree = null
  for (const filter of filters) {
    chain = made('Filter', { node: chain, name: filter.name, ...callArguments(filter) })
  }
  return chain
}

function constant(value: string | bigint | number | boolean | null): JinjaTree {
  if (typeof value === 'bigint') return { int: String(value) }
  return typeof value === 'number' ? { float: pythonFloat(value) } : value
}

/** Python's `repr` of a float that is not negative. */
function pythonFloat(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return 'inf'
  const [digits = '', exponent] = value.toExponential().split('e')
  const power = Number(exponent)
  if (value !== 0 && (power < -4 || power >= 16)) {
    const sign = power < 0 ? '-' : '+'
    return `${digits}e${sign}${String(Math.abs(power)).padStart(2, '0')}`
  }
  const plain = String(value)
  return plain.includes('.') || plain.includes('e') ? plain : `${plain}.0`
}
