import { InvalidArgumentError, TemplateError, type TemplateErrorKind } from '../../errors.js'
import { Activation, FunctionScope, frameEntry, Output } from './activation.js'
import type { Node, Template } from './ast.js'
import { checkTemplate } from './checks.js'
import { compileBody } from './compile-statement.js'
import { Constants } from './constants.js'
import { type DataDecision, DecisionLog, type OnDataDependence } from './decisions.js'
import { FILTERS, TESTS } from './environment.js'
import { GLOBALS } from './globals.js'
import { Meter, type TemplateLimits } from './limits.js'
import type { OriginText } from './origin-text.js'
import { parseTemplate } from './parser.js'
import { DependenceError, LimitError, PythonError, RaisedError } from './python-error.js'
import { Rendering, type Stretch } from './rendering.js'
import { GrowingRender } from './replay/growing-render.js'
import { type ReplayFrame, replayPlan } from './replay/plan.js'
import { ROLES, readRequest } from './request.js'
import { Scopes } from './scopes.js'
import { childrenOf } from './tree.js'
import { Instance, trustedStr, type Value } from './value.js'

export interface RenderOptions {
  /**
   * Variables such as `bos_token`, which are trusted text. A variable of the context with the same name wins, as in
   * transformers, and is data.
   */
  readonly specialTokens?: Readonly<Record<string, string>> | undefined
  /** Roles of messages that are trusted text, besides the usual ones. */
  readonly roles?: readonly string[] | undefined
  /** The clock of `strftime_now`. Default: the time of the machine. */
  readonly now?: (() => Date) | undefined
  /** What to do about decisions that depend on the content of request text. Default `report`. */
  readonly onDataDependence?: OnDataDependence | undefined
  readonly limits?: TemplateLimits | undefined
}

/** What a render came to. */
export class RenderedTemplate {
  /** The output; each run of it knows where it came from. */
  readonly text: OriginText
  /** What stands in `{% generation %}` blocks, in UTF-16 units. */
  readonly generations: readonly Stretch[]
  readonly #log: DecisionLog
  #decisions: readonly DataDecision[] | undefined

  /** @internal */
  constructor(text: OriginText, generations: readonly Stretch[], log: DecisionLog) {
    this.text = text
    this.generations = generations
    this.#log = log
  }

  /** Decisions that depended on the content of request text; empty with `ignore`. At most 1,000. */
  get decisions(): readonly DataDecision[] {
    this.#decisions ??= this.#log.settled(this.text)
    return this.#decisions
  }

  /** How many more decisions there were. */
  get decisionsOmitted(): number {
    return this.#log.omitted
  }
}

/**
 * A chat template, ready to render. It is immutable and can be shared; one render leaves nothing behind for the
 * next. Make one with {@link compileTemplate}.
 */
export class ChatTemplate {
  /** As the caller named it. */
  readonly name: string | undefined
  /** All text of the template and all its string literals, each once: what it can write as trusted text. */
  readonly literals: readonly string[]
  readonly #tree: Template
  readonly #run: Run
  /** The same for conversations that grow, once there was one; `null` where it would be no use. */
  #replaying: Run | null | undefined

  /** @internal Use `compileTemplate`. */
  constructor(tree: Template, name: string | undefined) {
    this.name = name
    this.literals = [...literalsOf(tree)]
    this.#tree = tree
    this.#run = compileRun(tree, undefined)
  }

  /**
   * Renders the template as Jinja2 3.1.6 does in the environment of transformers.
   *
   * @param context plain data; `messages`, `tools`, `documents`, `add_generation_prompt` and what else the template
   *   reads. Strings made by `trusted()` are trusted, `jsonText()` keeps the spelling of numbers
   * @throws TemplateError of kind `runtime` where Jinja2 would raise, `raised` for the template's own
   *   `raise_exception()`, `limit` for a render that costs too much, `data-dependence` where that is refused
   * @throws InvalidArgumentError for a context that is no plain data, and for options out of range
   * @example
   * const { text } = template.render({ messages: [{ role: 'user', content: 'Hi' }] })
   * text.text   // '<|user|>\nHi<|end|>\n'
   * text.runs   // trusted, messages[0].content, trusted
   */
  render(context: Readonly<Record<string, unknown>>, options: RenderOptions = {}): RenderedTemplate {
    const { onDataDependence = 'report', now = () => new Date() } = options
    const variables = variablesOf(options)
    for (const [name, value] of readRequest(context, rolesOf(options))) variables.set(name, value)
    const decisions = new DecisionLog(onDataDependence)
    const rendering = new Rendering(this.#tree.position, new Meter(options.limits), decisions, now, variables)
    const output = new Output()
    const text = this.#run(rendering, output)
    return new RenderedTemplate(text, rendering.generations, decisions)
  }

  /**
   * @internal Renders a conversation again and again while it grows, and each time runs those turns of the template's
   * loops that change. Undefined where it cannot be told which those are.
   *
   * @param context all but the messages, read once
   * @throws as {@link ChatTemplate.render}
   */
  growing(context: Readonly<Record<string, unknown>>, options: RenderOptions): GrowingRender | undefined {
    if (this.#replaying === undefined) this.#replaying = compileReplaying(this.#tree) ?? null
    if (this.#replaying === null) return undefined
    const variables = variablesOf(options)
    const roles = rolesOf(options)
    for (const [name, value] of readRequest(context, roles)) variables.set(name, value)
    return new GrowingRender(this.#replaying, this.#tree.position, variables, roles, options)
  }
}

/** Runs a whole template. */
export type Run = (rendering: Rendering, output: Output) => OriginText

function compileReplaying(tree: Template): Run | undefined {
  const plan = replayPlan(tree)
  if (plan === undefined) return undefined
  const compiled = new Set<Node>()
  const run = compileRun(tree, { plan, compiled, cells: [] })
  // A site that no place of the compiler came to would not be noted.
  return compiled.size === plan.sites.size ? run : undefined
}

function compileRun(tree: Template, replay: ReplayFrame | undefined): Run {
  const scopes = new Scopes(tree)
  const symbols = scopes.frame(tree)
  const scope = new FunctionScope()
  const given = Array.from(symbols.loads).find(
    ({ ident, action }) => ident === symbols.ref('self') && action === 'parameter',
  )
  const self = given && scope.declare(given.ident)
  const enter = frameEntry(symbols, scope)
  const body = compileBody(tree.body, {
    symbols,
    scope,
    constants: new Constants(tree.position),
    scopes,
    replay,
  })
  return (rendering, output) => {
    try {
      rendering.written = () => output.length
      const activation = new Activation(scope.size, undefined, rendering, output)
      if (self !== undefined) activation.slots[self] = new TemplateReference()
      enter(activation)
      body(activation)
      return output.join()
    } catch (error) {
      throw templateError(error, rendering)
    }
  }
}

function rolesOf({ roles = [] }: RenderOptions): ReadonlySet<string> {
  return new Set([...ROLES, ...roles])
}

/** The global functions and the variables of the program. */
function variablesOf({ specialTokens = {}, onDataDependence = 'report' }: RenderOptions): Map<string, Value> {
  if (!['ignore', 'report', 'refuse'].includes(onDataDependence)) {
    throw new InvalidArgumentError(
      `onDataDependence: expected 'ignore', 'report' or 'refuse' but received ${String(onDataDependence)}`,
    )
  }
  const variables = new Map<string, Value>(GLOBALS)
  for (const [name, text] of Object.entries(specialTokens)) {
    if (typeof text !== 'string') {
      throw new InvalidArgumentError(`specialTokens.${name}: expected a string but received ${typeof text}`)
    }
    variables.set(name, trustedStr(text.toWellFormed()))
  }
  return variables
}

/** The variable `self`, through which templates with blocks reach them; chat templates have none. */
class TemplateReference extends Instance {
  readonly className = 'jinja2.runtime.TemplateReference'

  override get repr(): string {
    return '<TemplateReference None>'
  }

  attribute(): undefined {
    return undefined
  }
}

/**
 * Compiles a chat template once, for any number of renders.
 *
 * @param options.name what to call it, for those who read reports
 * @throws TemplateError of kind `syntax` for what Jinja2 cannot parse or compile
 * @example
 * const template = compileTemplate('{% for m in messages %}<|{{ m.role }}|>\n{{ m.content }}{% endfor %}')
 */
export function compileTemplate(source: string, options: { readonly name?: string } = {}): ChatTemplate {
  if (typeof source !== 'string') {
    throw new InvalidArgumentError(`source: expected a string but received ${typeof source}`)
  }
  const tree = parseTemplate(source)
  checkTemplate(tree, { filters: new Set(FILTERS.keys()), tests: new Set(TESTS.keys()) })
  return new ChatTemplate(tree, options.name)
}

function literalsOf(node: Node, found = new Set<string>()): ReadonlySet<string> {
  if (node.type === 'TemplateData') found.add(node.data)
  if (node.type === 'Const' && typeof node.value === 'string') found.add(node.value)
  for (const child of childrenOf(node)) literalsOf(child, found)
  return found
}

function templateError(error: unknown, { position: { line, column } }: Rendering): unknown {
  // The stack of JavaScript or the length of its strings gave out before the limits of the render.
  if (error instanceof RangeError)
    return new TemplateError('limit', line, column, error.message, { cause: error })
  if (!(error instanceof PythonError)) return error
  const told = error instanceof RaisedError || error instanceof LimitError || error instanceof DependenceError
  const reason = told ? error.message : `${error.type}: ${error.message}`
  const paths = error instanceof RaisedError || error instanceof DependenceError ? error.paths : []
  return new TemplateError(kindOf(error), line, column, reason, { cause: error, paths })
}

function kindOf(error: PythonError): TemplateErrorKind {
  if (error instanceof RaisedError) return 'raised'
  if (error instanceof LimitError) return 'limit'
  return error instanceof DependenceError ? 'data-dependence' : 'runtime'
}
