import type {
  AssignBlock,
  CallBlock,
  FilterBlock,
  For,
  Generation,
  Macro,
  Node,
  Template,
  With,
} from './ast.js'
import { syntaxError } from './source-text.js'
import { mention, NameUses, Symbols } from './symbols.js'
import { childrenOf, namesOf } from './tree.js'

/** Statements that have a frame of their own. A loop has one for each of its parts. */
export type Framed = Template | Macro | CallBlock | Generation | FilterBlock | AssignBlock | With

/** Statements whose body is a macro: a function in Python, with variables of its own. */
export type MacroLike = Macro | CallBlock | Generation

/** The frames of a loop; what it does not have is undefined. */
export interface LoopFrames {
  readonly body: Symbols
  readonly else: Symbols | undefined
  readonly test: Symbols | undefined
  /** Whether there is a variable `loop`: where the body mentions it, and in recursive loops. */
  readonly hasLoop: boolean
}

/** The special variables that the body of a macro mentions, and therefore has. */
export interface MacroAccess {
  readonly caller: boolean
  readonly kwargs: boolean
  readonly varargs: boolean
}

/**
 * What the compiler of Jinja2 3.1.6 finds out about names before a template runs. Names are evaluated in these
 * frames: the filters of a set block or filter block and the defaults of a macro in the frame of its body, the call
 * of a call block, the iterable of a loop and the values of `with` in the frame around it.
 */
export class Scopes {
  readonly #frames = new Map<Framed, Symbols>()
  readonly #loops = new Map<For, LoopFrames>()
  readonly #uses = new NameUses()
  readonly #accesses = new Map<MacroLike, MacroAccess>()

  /** @throws TemplateError for names that Jinja2 cannot compile, in the filters of a set block */
  constructor(template: Template) {
    const root = new Symbols()
    if (this.#uses.has(template.body, 'self')) root.declareParameter('self')
    mention(root, template.body)
    this.#frames.set(template, root)
    this.#enterAll(template.body, root)
  }

  frame(node: Framed): Symbols {
    return this.#frames.get(node) as Symbols
  }

  loop(node: For): LoopFrames {
    return this.#loops.get(node) as LoopFrames
  }

  access(node: MacroLike): MacroAccess {
    return this.#accesses.get(node) as MacroAccess
  }

  #enterAll(nodes: readonly Node[], frame: Symbols): void {
    for (const node of nodes) this.#enter(node, frame)
  }

  /** Makes the frames in a statement, once those around it are known. */
  #enter(node: Node, outer: Symbols): void {
    switch (node.type) {
      case 'Macro':
      case 'CallBlock':
      case 'Generation':
        this.#enterMacro(node, outer)
        return
      case 'For':
        this.#enterLoop(node, outer)
        return
      case 'FilterBlock':
        this.#enterBlock(node, outer, (frame) => mention(frame, childrenOf(node)))
        return
      case 'AssignBlock': {
        const frame = this.#enterBlock(node, outer, (made) => mention(made, node.body))
        for (const filter of node.filters) expectKnown(filter, frame)
        return
      }
      case 'With':
        this.#enterBlock(node, outer, (frame) => {
          for (const name of node.targets.flatMap(namesOf)) frame.declareParameter(name)
          mention(frame, node.body)
        })
        return
      case 'If':
        this.#enterAll(node.body, outer)
        for (const elif of node.elifs) this.#enterAll(elif.body, outer)
        this.#enterAll(node.else, outer)
    }
  }

  #enterBlock(
    node: FilterBlock | AssignBlock | With,
    outer: Symbols,
    analyze: (frame: Symbols) => void,
  ): Symbols {
    const frame = new Symbols(outer)
    analyze(frame)
    this.#frames.set(node, frame)
    this.#enterAll(node.body, frame)
    return frame
  }

  #enterMacro(node: MacroLike, outer: Symbols): void {
    const frame = new Symbols(outer)
    const parameters = node.type === 'Generation' ? [] : node.parameters
    const given = new Set(parameters.map((parameter) => parameter.name))
    for (const name of given) frame.declareParameter(name)
    for (const { default: standard } of parameters) if (standard !== undefined) mention(frame, [standard])
    mention(frame, node.body)
    const names = ['caller', 'kwargs', 'varargs'].filter((name) => this.#uses.has(node.body, name))
    const mentioned = new Set(names)
    for (const name of mentioned) if (!given.has(name)) frame.declareParameter(name)
    this.#accesses.set(node, {
      caller: mentioned.has('caller'),
      kwargs: mentioned.has('kwargs') && !given.has('kwargs'),
      varargs: mentioned.has('varargs') && !given.has('varargs'),
    })
    this.#frames.set(node, frame)
    this.#enterAll(node.body, frame)
  }

  #enterLoop(node: For, outer: Symbols): void {
    const hasLoop = node.recursive || this.#uses.has(node.body, 'loop')
    const made = (parameters: readonly string[], part: readonly Node[]): Symbols => {
      const frame = new Symbols(outer)
      for (const name of parameters) frame.declareParameter(name)
      mention(frame, part)
      return frame
    }
    const names = namesOf(node.target)
    const body = made(hasLoop ? ['loop', ...names] : names, node.body)
    const otherwise = node.else.length === 0 ? undefined : made([], node.else)
    const test = node.test === undefined ? undefined : made(names, [node.test])
    this.#loops.set(node, { body, test, else: otherwise, hasLoop })
    this.#enterAll(node.body, body)
    if (otherwise !== undefined) this.#enterAll(node.else, otherwise)
  }
}

/**
 * Jinja2 does not look for names in the filters of a set block, and so fails on those that nothing else around
 * mentions.
 */
function expectKnown(node: Node, frame: Symbols): void {
  if (node.type === 'Name' && frame.ref(node.name) === undefined) {
    throw syntaxError(
      node.position,
      `expected a name that is mentioned outside of the filters of the set block but found '${node.name}'`,
    )
  }
  for (const child of childrenOf(node)) expectKnown(child, frame)
}
