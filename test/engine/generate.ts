import type { Engine, GenerateRequest, GenerationEnd } from '../../src/engine/engine.js'

export interface Generated {
  readonly ids: number[]
  readonly pieces: number[][]
  readonly end: GenerationEnd | undefined
}

/** A prompt of four ids, with two stop ids; `more` changes it. */
export function request(more: Partial<GenerateRequest> = {}): GenerateRequest {
  return { promptIds: Uint32Array.of(64790, 64792, 5, 6), stopIds: [2, 7], maxTokens: 100, ...more }
}

/** Reads a generation to its end. */
export async function generate(engine: Engine, more: Partial<GenerateRequest> = {}): Promise<Generated> {
  const pieces: number[][] = []
  const ends: GenerationEnd[] = []
  for await (const ids of engine.generate(request({ ...more, onEnd: (end) => ends.push(end) }))) {
    pieces.push(Array.from(ids))
  }
  if (ends.length > 1) throw new Error('onEnd was called more than once')
  return { ids: pieces.flat(), pieces, end: ends[0] }
}
