// A server of vLLM's shape whose model says what the test wrote down, in token ids.

import type { Engine } from '../../src/engine/engine.js'
import { vllmEngine } from '../../src/engine/vllm.js'
import type { EncodeInput } from '../../src/prompt/parts.js'
import type { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { type FakeServer, fakeServer, sendEvents, sendJson } from './fake-server.js'
import { vllmEvents } from './wire-shapes.js'

export interface ScriptedServer extends FakeServer {
  readonly engine: Engine
  /** The prompts that came, in order. */
  readonly prompts: readonly number[][]
}

/** @param replies what the model writes, one after the other; the stop token stands at the end of each */
export async function scriptedServer(
  tokenizer: Tokenizer,
  replies: readonly EncodeInput[],
): Promise<ScriptedServer> {
  const prompts: number[][] = []
  const server = await fakeServer(({ path, body }, response) => {
    if (path === '/v1/models') return sendJson(response, { data: [{ id: 'scripted', owned_by: 'vllm' }] })
    const reply = replies[prompts.length]
    prompts.push(body.prompt as number[])
    if (reply === undefined) return sendJson(response, { error: { message: 'the script has ended' } }, 400)
    const ids = Array.from(tokenizer.encode(reply))
    const cuts = Array.from({ length: Math.ceil(ids.length / 2) }, (_, i) => ids.slice(2 * i, 2 * i + 2))
    return sendEvents(
      response,
      vllmEvents(body, cuts, { finish_reason: 'stop', stop_reason: ids.at(-1) ?? null }),
      { size: 50 },
    )
  })
  return Object.assign(server, { engine: vllmEngine({ url: server.url, model: 'scripted' }), prompts })
}
