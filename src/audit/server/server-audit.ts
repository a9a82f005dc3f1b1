import { InvalidArgumentError, SafetokensError } from '../../errors.js'
import { payloads } from '../bank/payloads.js'
import { type Placement, placements } from '../bank/placements.js'
import { listed, quote } from '../findings.js'
import type { ForgedExample } from '../forged-turns.js'
import { type Identity, identityOf } from '../identity.js'
import { Prober } from '../probe.js'
import type { Progress } from '../progress.js'
import { surplus } from '../surplus.js'
import { type AuditTarget, auditTarget, type TargetOptions } from '../target.js'
import { countTurns, structuralTokens, turnOpeners } from '../turns.js'
import { JsonServer } from './http-json.js'
import { detectApi, type ServerApi, type ServerEncoder, serverEncoder } from './server-api.js'

export interface ServerAuditOptions extends TargetOptions {
  /** Which server it is. Default: it is asked. */
  readonly api?: ServerApi | undefined
  /** Requests in a second, at most. Default 20. */
  readonly rate?: number | undefined
  /** Hostile conversations, at most. Default 300. */
  readonly conversations?: number | undefined
  /** How many of the model's control tokens the payloads are made of. Default 4. */
  readonly controls?: number | undefined
  readonly progress?: Progress | undefined
  /** In place of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
}

/** What a live server makes of hostile texts. */
export interface ServerReport {
  readonly schema: 'safetokens-server-audit/1'
  readonly server: { readonly address: string; readonly api: ServerApi }
  /** The model that tells which ids are reserved. */
  readonly identity: Identity
  readonly requests: number
  readonly tried: number
  /** Conversations that the server did not take. */
  readonly refused: number
  readonly forged: { readonly controls: number; readonly turns: number; readonly conversations: number }
  readonly example: ForgedExample | undefined
  readonly byPlace: readonly { readonly place: string; readonly tried: number; readonly forged: number }[]
  /** How many harmless conversations have the ids that safetokens gives, of how many. */
  readonly harmless: { readonly chats: number; readonly equal: number }
  /** In one sentence. */
  readonly verdict: string
}

const RATE = 20
const CONVERSATIONS = 300
const CONTROLS = 4

/**
 * Sends hostile conversations to a running server and looks at the ids that it makes of them: reserved ids that a
 * harmless conversation of the same shape does not have are forged. Nothing is generated, and no other address is asked.
 *
 * @param modelPath the model that the server serves: its tokenizer tells which ids are reserved
 * @throws SafetokensError `SERVER_UNREACHABLE`, `SERVER_ANSWER`, `UNKNOWN_SERVER`, `INVALID_URL`, and as `audit`
 * @example const { forged } = await auditServer('http://127.0.0.1:8000', 'models/qwen3')
 */
export async function auditServer(
  address: string,
  modelPath: string,
  options: ServerAuditOptions = {},
): Promise<ServerReport> {
  const { rate = RATE, conversations = CONVERSATIONS, controls = CONTROLS, progress = () => {} } = options
  if (!(rate > 0)) throw new InvalidArgumentError(`rate must be above 0, not ${rate}`)
  const target = await auditTarget(modelPath, options)
  if (target.chat === undefined)
    throw new SafetokensError('NO_CHAT', target.noChat ?? 'the model has no chat')
  const server = new JsonServer(address, rate, options.fetch)
  const api = options.api ?? (await detectApi(server))
  const prober = new Prober(target, target.chat)
  const render = (placement: Placement): string | undefined => {
    const probe = prober.probe(placement)
    return 'refused' in probe ? undefined : probe.text
  }
  const run = new ServerRun(target, prober, serverEncoder(api, server, render))
  await run.learn(progress)
  await run.attack(payloads(structuralTokens(target, prober, controls)), conversations, progress)
  return {
    schema: 'safetokens-server-audit/1',
    server: { address: server.address, api },
    identity: await identityOf(target),
    requests: server.requests,
    ...run.result(),
  }
}

/** In an order in which any few, from the first on, are of all kinds: neighbours in the bank are alike. */
function mixed(texts: readonly string[]): string[] {
  const golden = (Math.sqrt(5) - 1) / 2
  const places = texts.map((text, i) => ({ text, at: (i * golden) % 1 }))
  return places.sort((a, b) => a.at - b.at).map(({ text }) => text)
}

/** What the server gives for a place with a harmless word. */
interface Baseline {
  readonly reserved: readonly number[]
  /** Ours are the same, so that ours tell what a hostile conversation should have. */
  readonly likeOurs: boolean
}

class ServerRun {
  readonly #target: AuditTarget
  readonly #prober: Prober
  readonly #encode: ServerEncoder
  readonly #openers: ReadonlySet<number>
  readonly #baselines = new Map<string, Baseline>()
  readonly #places = new Map<string, { tried: number; forged: number }>()
  #tried = 0
  #refused = 0
  #controls = 0
  #turns = 0
  #conversations = 0
  #harmlessEqual = 0
  #example: ForgedExample | undefined

  constructor(target: AuditTarget, prober: Prober, encode: ServerEncoder) {
    this.#target = target
    this.#prober = prober
    this.#encode = encode
    this.#openers = turnOpeners(target, prober)
  }

  /** Asks for every place with a harmless word. */
  async learn(progress: Progress): Promise<void> {
    const harmless = placements('word')
    for (const [i, placement] of harmless.entries()) {
      progress('harmless conversations', i, harmless.length)
      const ids = await this.#encode(placement)
      if (ids === undefined) continue
      const probe = this.#prober.probe(placement)
      const reserved = this.#reserved(ids)
      const ours = 'refused' in probe ? undefined : probe
      const likeOurs = ours !== undefined && String(reserved) === String(ours.controls.map(({ id }) => id))
      if (ours !== undefined && String(ids) === String([...ours.ids])) this.#harmlessEqual++
      this.#baselines.set(placement.place, { reserved, likeOurs })
    }
    if (this.#baselines.size === 0) {
      throw new SafetokensError('SERVER_ANSWER', 'the server takes no conversation at all')
    }
  }

  /** Sends pairs of payload and place, the first ones of both first. */
  async attack(texts: readonly string[], most: number, progress: Progress): Promise<void> {
    const pairs = mixed(texts).flatMap((payload, i) =>
      placements(payload)
        .filter(({ place }) => payload.trim() !== '' && this.#baselines.has(place))
        .map((placement, j) => ({ payload, placement, order: i + j })),
    )
    const chosen = pairs.sort((a, b) => a.order - b.order).slice(0, most)
    for (const [i, { payload, placement }] of chosen.entries()) {
      progress('hostile conversations', i, chosen.length)
      await this.#try(payload, placement)
    }
  }

  async #try(payload: string, placement: Placement): Promise<void> {
    const { place } = placement
    const baseline = this.#baselines.get(place) as Baseline
    const ids = await this.#encode(placement)
    if (ids === undefined) {
      this.#refused++
      return
    }
    this.#tried++
    const probe = this.#prober.probe(placement)
    const expected =
      baseline.likeOurs && !('refused' in probe) ? probe.controls.map(({ id }) => id) : baseline.reserved
    const forged = surplus(this.#reserved(ids), expected)
    const counted = this.#places.get(place) ?? { tried: 0, forged: 0 }
    this.#places.set(place, {
      tried: counted.tried + 1,
      forged: counted.forged + (forged.length > 0 ? 1 : 0),
    })
    if (forged.length === 0) return
    const turns = countTurns(forged, this.#openers)
    this.#conversations++
    this.#controls += forged.length
    this.#turns += turns
    if (
      this.#example === undefined ||
      (turns > 0 && this.#example.turnsAfter === this.#example.turnsBefore)
    ) {
      const turnsBefore = countTurns(expected, this.#openers)
      const names = forged.map((id) => this.#target.tokenizer.controlName(id))
      this.#example = { place, payload, turnsBefore, turnsAfter: turnsBefore + turns, forged: names }
    }
  }

  result(): Omit<ServerReport, 'schema' | 'server' | 'identity' | 'requests'> {
    const forged = { controls: this.#controls, turns: this.#turns, conversations: this.#conversations }
    return {
      tried: this.#tried,
      refused: this.#refused,
      forged,
      example: this.#example,
      byPlace: [...this.#places].map(([place, counts]) => ({ place, ...counts })),
      harmless: { chats: this.#baselines.size, equal: this.#harmlessEqual },
      verdict: this.#verdict(),
    }
  }

  #verdict(): string {
    const example = this.#example
    if (example === undefined) return `none of ${this.#tried} hostile conversations forged a control token`
    const { payload, place, turnsBefore, turnsAfter, forged } = example
    return (
      `${this.#conversations} of ${this.#tried} hostile conversations forged ${this.#turns} turns and ${this.#controls} ` +
      `control tokens; ${quote(payload)} as ${place} makes ${turnsBefore} turns ${turnsAfter} (${listed(forged)})`
    )
  }

  #reserved(ids: readonly number[]): number[] {
    return ids.filter((id) => this.#target.tokenizer.isReserved(id))
  }
}
