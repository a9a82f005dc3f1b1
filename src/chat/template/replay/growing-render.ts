import type { Position } from '../ast.js'
import { DecisionLog } from '../decisions.js'
import { Meter } from '../limits.js'
import type { OriginText } from '../origin-text.js'
import { Rendering } from '../rendering.js'
import { GrowingMessages } from '../request.js'
import type { RenderOptions, Run } from '../template.js'
import type { Value } from '../value.js'
import { Replay, SegmentedOutput } from './replay.js'

/** What a render came to. */
export interface GrownText {
  /** Stretches of the output. They are a list that the next render changes, or one that fails. */
  readonly segments: readonly OriginText[]
  /** So many of the first are those of the render before. */
  readonly same: number
}

/**
 * Renders of a conversation that grows. Each gives what `ChatTemplate.render` gives for all messages, in stretches. After
 * an error it is of no use any more.
 */
export class GrowingRender {
  readonly #run: Run
  readonly #position: Position
  readonly #variables: Map<string, Value>
  readonly #options: RenderOptions
  readonly #messages: GrowingMessages
  readonly #replay = new Replay()

  constructor(
    run: Run,
    position: Position,
    variables: Map<string, Value>,
    roles: ReadonlySet<string>,
    options: RenderOptions,
  ) {
    this.#run = run
    this.#position = position
    this.#variables = variables
    this.#options = options
    this.#messages = new GrowingMessages(roles)
  }

  /**
   * @param added further messages
   * @throws as `ChatTemplate.render`; which of several errors it is, and where, only that can tell
   */
  render(added: readonly object[]): GrownText {
    const { onDataDependence, limits, now = () => new Date() } = this.#options
    this.#messages.add(added)
    this.#variables.set('messages', this.#messages.list())
    // Nobody asks for the decisions of such a render, unless they are refused.
    const decisions = new DecisionLog(onDataDependence === 'refuse' ? 'refuse' : 'ignore')
    const rendering = new Rendering(this.#position, new Meter(limits), decisions, now, this.#variables)
    rendering.replay = this.#replay
    const { segments } = this.#replay
    const output = new SegmentedOutput(segments)
    this.#run(rendering, output)
    this.#replay.render++
    return { segments, same: output.finish() }
  }
}
