import { EngineError } from '../errors.js'
import type { Engine } from './engine.js'
import { llamaCppEngine } from './llama-cpp.js'
import { ServerConnection, type ServerOptions } from './server-connection.js'
import { sglangEngine } from './sglang.js'
import { vllmEngine } from './vllm.js'

/** Makers of engines on servers, by the name that `/v1/models` has for them in `owned_by`. */
export const SERVER_ENGINES: Readonly<Record<ServerEngineName, (options: ServerEngineOptions) => Engine>> = {
  vllm: vllmEngine,
  sglang: sglangEngine,
  llamacpp: llamaCppEngine,
}

export type ServerEngineName = 'vllm' | 'sglang' | 'llamacpp'

export interface ServerEngineOptions extends ServerOptions {
  /** The model, where the server serves several. Default: its first. */
  readonly model?: string | undefined
  /** Which server it is. Default: asked for. */
  readonly type?: ServerEngineName | undefined
}

/**
 * An engine on a server that says itself what it is.
 *
 * @throws EngineError when it cannot be reached, or is none that takes token ids
 * @example const engine = await connectEngine({ url: 'http://127.0.0.1:8000' })
 */
export async function connectEngine({ type, ...options }: ServerEngineOptions): Promise<Engine> {
  if (type !== undefined) return SERVER_ENGINES[type](options)
  const server = new ServerConnection('engine', options)
  const { data } = (await server.get('/v1/models')) as { data?: readonly ServedModel[] }
  const models = Array.isArray(data) ? data : []
  const owner = models.map(({ owned_by: name }) => name).find(isServerEngineName)
  if (owner === undefined) {
    const names = models.map(({ owned_by: name }) => JSON.stringify(name)).join(', ')
    throw new EngineError(
      'protocol',
      'engine',
      `the server at ${String(options.url)} says it is ${names === '' ? 'nothing' : names}; vllm, sglang and llamacpp take token ids`,
    )
  }
  return SERVER_ENGINES[owner]({ ...options, model: options.model ?? models[0]?.id })
}

export function isServerEngineName(name: unknown): name is ServerEngineName {
  return typeof name === 'string' && Object.hasOwn(SERVER_ENGINES, name)
}

interface ServedModel {
  readonly id?: string
  readonly owned_by?: string
}
