import type { CallArguments, Node, Target } from './ast.js'

/** What a statement assigns to. In `jinja2.nodes` it is always the first field. */
export function targetsOf(node: Node): readonly Target[] {
  switch (node.type) {
    case 'For':
    case 'Assign':
    case 'AssignBlock':
      return [node.target]
    case 'With':
      return node.targets
    default:
      return []
  }
}

/** The names in what a statement assigns to. A namespace attribute has none of its own. */
export function namesOf(target: Target): readonly string[] {
  if (target.type === 'Name') return [target.name]
  return target.type === 'TargetTuple' ? target.items.flatMap(namesOf) : []
}

/**
 * The nodes right below one but for its targets, in the order of the fields of `jinja2.nodes`, which its analyses
 * depend on.
 */
export function childrenOf(node: Node): readonly Node[] {
  switch (node.type) {
    case 'Template':
    case 'Generation':
      return node.body
    case 'Output':
    case 'Concat':
      return node.nodes
    case 'For':
      return [node.iter, ...node.body, ...node.else, ...optional(node.test)]
    case 'If':
      return [node.test, ...node.body, ...node.elifs, ...node.else]
    case 'Elif':
      return [node.test, ...node.body]
    case 'Assign':
      return [node.value]
    case 'AssignBlock':
      return [...node.filters, ...node.body]
    case 'Macro':
      return [...node.parameters, ...node.parameters.flatMap((each) => optional(each.default)), ...node.body]
    case 'CallBlock':
      return [
        node.call,
        ...node.parameters,
        ...node.parameters.flatMap((each) => optional(each.default)),
        ...node.body,
      ]
    case 'FilterBlock':
      return [...node.body, ...node.filters]
    case 'With':
      return [...node.values, ...node.body]
    case 'List':
    case 'Tuple':
    case 'Dict':
      return node.items
    case 'CondExpr':
      return [node.test, node.then, ...optional(node.else)]
    case 'BinExpr':
    case 'And':
    case 'Or':
      return [node.left, node.right]
    case 'Compare':
      return [node.expression, ...node.operands]
    case 'Operand':
      return [node.expression]
    case 'Not':
    case 'Neg':
    case 'Pos':
    case 'Getattr':
      return [node.node]
    case 'Getitem':
      return [node.node, node.argument]
    case 'Slice':
      return [...optional(node.start), ...optional(node.stop), ...optional(node.step)]
    case 'Pair':
      return [node.key, node.value]
    case 'Keyword':
      return [node.value]
    case 'Call':
    case 'Filter':
    case 'Test':
      return [node.node, ...argumentsOf(node)]
    case 'FilterCall':
      return argumentsOf(node)
    case 'Parameter':
    case 'TemplateData':
    case 'Break':
    case 'Continue':
    case 'LoadTemplate':
    case 'NSRef':
    case 'TargetTuple':
    case 'Name':
    case 'Const':
      return []
  }
}

function argumentsOf({ args, kwargs, dynArgs, dynKwargs }: CallArguments): readonly Node[] {
  return [...args, ...kwargs, ...optional(dynArgs), ...optional(dynKwargs)]
}

function optional<Kind>(node: Kind | undefined): Kind[] {
  return node === undefined ? [] : [node]
}
