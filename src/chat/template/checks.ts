import type { CallArguments, CallBlock, Filter, FilterCall, For, Macro, Node, Template, Test } from './ast.js'
import { syntaxError } from './source-text.js'
import { NameUses } from './symbols.js'
import { childrenOf, namesOf, targetsOf } from './tree.js'

/** The names of filters and tests that exist. */
export interface KnownNames {
  readonly filters: ReadonlySet<string>
  readonly tests: ReadonlySet<string>
}

/** Where a node stands. */
interface Place {
  /** In a loop of the same function, so that `break` can leave it. */
  readonly inLoop: boolean
  /** Inside the tag of a loop, at any depth. */
  readonly belowLoop: boolean
  /** Directly in the body of a loop. */
  readonly loopFrame: boolean
  /** Directly in an `if` or a conditional expression, where unknown filters are an error only when they run. */
  readonly soft: boolean
}

/** With one of these among them, keyword arguments are given as a dict, where the last of a name counts. */
const PYTHON_KEYWORDS: ReadonlySet<string> = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from ' +
    'global if import in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
)

/**
 * Refuses what Jinja2 3.1.6 parses but cannot compile to Python: unknown filters and tests, `break` outside of loops,
 * assignments to `loop`, parameters and keyword arguments that stand twice.
 *
 * @throws TemplateError of kind `syntax`
 */
export function checkTemplate(template: Template, known: KnownNames): void {
  const check = new Checker(known)
  check.visit(template, { inLoop: false, belowLoop: false, loopFrame: false, soft: false })
}

class Checker {
  readonly #known: KnownNames
  readonly #uses = new NameUses()

  constructor(known: KnownNames) {
    this.#known = known
  }

  visit(node: Node, place: Place): void {
    if (place.belowLoop || node.type === 'For') checkTargets(node)
    switch (node.type) {
      case 'Break':
      case 'Continue':
        if (!place.inLoop) {
          throw syntaxError(node.position, `expected '${node.type.toLowerCase()}' inside a loop`)
        }
        return
      case 'For':
        this.#visitLoop(node, place)
        return
      case 'If':
      case 'CondExpr':
        this.#visitAll(childrenOf(node), { ...place, soft: true })
        return
      case 'Macro':
        checkParameters(node, this.#uses)
        this.#visitAll(childrenOf(node), inFunction(place))
        return
      case 'CallBlock':
        checkParameters(node, this.#uses)
        checkKeywords(node.call, ['caller', ...givenByFrame(place)])
        this.#visitAll(childrenOf(node.call), place)
        this.#visitAll(childrenOf(node).slice(1), inFunction(place))
        return
      case 'Generation':
        this.#visitAll(node.body, inFunction(place))
        return
      case 'With':
        this.#visitAll(node.values, place)
        this.#visitAll(node.body, inFrame(place))
        return
      case 'FilterBlock':
      case 'AssignBlock':
        this.#visitAll(childrenOf(node), inFrame(place))
        return
      case 'Filter':
      case 'FilterCall':
        this.#checkKnown(node, 'filter', this.#known.filters, place)
        break
      case 'Test':
        this.#checkKnown(node, 'test', this.#known.tests, place)
        break
      case 'Call':
        checkKeywords(node, givenByFrame(place))
        break
    }
    this.#visitAll(childrenOf(node), place)
  }

  #visitAll(nodes: readonly Node[], place: Place): void {
    for (const node of nodes) this.visit(node, place)
  }

  #visitLoop(node: For, place: Place): void {
    this.visit(node.iter, place)
    const inner = { ...inFrame(place), belowLoop: true }
    if (node.test !== undefined) this.visit(node.test, inner)
    this.#visitAll(node.body, { ...inner, inLoop: true, loopFrame: true })
    this.#visitAll(node.else, { ...inner, inLoop: place.inLoop && !node.recursive })
  }

  #checkKnown(
    node: Filter | FilterCall | Test,
    what: string,
    known: ReadonlySet<string>,
    { soft }: Place,
  ): void {
    checkKeywords(node, [])
    if (!soft && !known.has(node.name)) {
      throw syntaxError(node.position, `expected a known ${what} but found '${node.name}'`)
    }
  }
}

function inFrame(place: Place): Place {
  return { ...place, loopFrame: false, soft: false }
}

function inFunction(place: Place): Place {
  return { ...inFrame(place), inLoop: false }
}

/** Jinja2 gives calls in the body of a loop a keyword argument of its own. */
function givenByFrame({ loopFrame }: Place): readonly string[] {
  return loopFrame ? ['_loop_vars'] : []
}

function checkTargets(node: Node): void {
  if (node.type === 'With') return
  for (const target of targetsOf(node)) {
    if (namesOf(target).includes('loop')) {
      throw syntaxError(target.position, "expected another name in a loop than 'loop', which it has itself")
    }
  }
}

function checkParameters({ parameters, body, position }: Macro | CallBlock, uses: NameUses): void {
  const seen = new Set<string>()
  for (const parameter of parameters) {
    if (seen.has(parameter.name)) {
      throw syntaxError(
        parameter.position,
        `expected each parameter once but found '${parameter.name}' again`,
      )
    }
    seen.add(parameter.name)
    if (parameter.name !== 'caller' || parameter.default !== undefined) continue
    if (uses.has(body, 'caller')) {
      throw syntaxError(position, "expected no parameter 'caller', or one with a default")
    }
  }
}

function checkKeywords({ kwargs }: Pick<CallArguments, 'kwargs'>, given: readonly string[]): void {
  const seen = new Set(given)
  if (kwargs.some(({ key }) => PYTHON_KEYWORDS.has(key))) return
  for (const { key, position } of kwargs) {
    if (seen.has(key))
      throw syntaxError(position, `expected each keyword argument once but found '${key}' again`)
    seen.add(key)
  }
}
