import type { Position } from '../ast.js'
import { DecisionLog } from '../decisions.js'
import { Meter } from '../limits.js'
import type { OriginText } from '../origin-text.js'
import { Rendering } from '../rendering.js'
import { GrowingMessages } from '../request.js'
import type { RenderOptions, Run } from '../template.js'
import type { Value } from '../value.js'
import { Replay, SegmentedOutput } from './replay.js'

/**
 * Renders of a conversation that grows. Each gives what `ChatTemplate.render` gives for all messages, as stretches of which
 * those are the same objects that were taken over from the render before. After an error it is of no use any more.
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
  render(added: readonly object[]): readonly OriginText[] {
    const { onDataDependence, limits, now = () => new Date() } = this.#options
    this.#messages.add(added)
    this.#variables.set('messages', this.#messages.list())
    // Nobody asks for the decisions of such a render, unless they are refused.
    const decisions = new DecisionLog(onDataDependence === 'refuse' ? 'refuse' : 'ignore')
    const rendering = new Rendering(this.#position, new Meter(limits), decisions, now, this.#variables)
    rendering.replay = this.#replay
    const output = new SegmentedOutput()
    this.#run(rendering, output)
    output.end()
    return output.segments
  }
}
