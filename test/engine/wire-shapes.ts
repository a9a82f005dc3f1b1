// What the three servers answer, in the shapes that they have on the wire.
import type { Body } from './fake-server.js'

/** How ids are spread over the events of a stream. */
export type Cuts = readonly (readonly number[])[]

const usage = (body: Body, count: number) => {
  const prompt = (body.prompt as readonly number[]).length
  return {
    prompt_tokens: prompt,
    total_tokens: prompt + count,
    completion_tokens: count,
    prompt_tokens_details: { cached_tokens: 2 },
  }
}

export interface VllmEnd {
  readonly finish_reason: string
  readonly stop_reason?: number | string | null
}

/** Events of vLLM's `/v1/completions`: ids of the prompt in the first, usage in the last. */
export function vllmEvents(body: Body, cuts: Cuts, end: VllmEnd): object[] {
  const common = {
    id: 'cmpl-7',
    object: 'text_completion',
    created: 1764493200,
    model: body.model ?? 'served',
  }
  const events = cuts.map((ids, i) => ({
    ...common,
    choices: [
      {
        index: 0,
        text: ids.map((id) => ` t${id} 字`).join(''),
        logprobs: null,
        finish_reason: i === cuts.length - 1 ? end.finish_reason : null,
        stop_reason: i === cuts.length - 1 ? (end.stop_reason ?? null) : null,
        token_ids: ids,
        prompt_token_ids: i === 0 ? body.prompt : null,
      },
    ],
    usage: null,
  }))
  return [...events, { ...common, choices: [], usage: usage(body, cuts.flat().length) }]
}

export interface SglangShape {
  readonly cumulative: boolean
  readonly finish: object
  /** The stop id is not among the ids, but counted. */
  readonly trimmed?: boolean
}

/** Events of SGLang's `/generate`. */
export function sglangEvents(body: Body, cuts: Cuts, { cumulative, finish, trimmed }: SglangShape): object[] {
  return cuts.map((_, i) => {
    const upTo = cuts.slice(0, i + 1).flat()
    const isLast = i === cuts.length - 1
    return {
      text: upTo.map((id) => ` t${id} 字`).join(''),
      output_ids: cumulative ? upTo : cuts[i],
      meta_info: {
        id: '5f2d',
        finish_reason: isLast ? finish : null,
        prompt_tokens: (body.input_ids as readonly number[]).length,
        completion_tokens: upTo.length + (isLast && trimmed ? 1 : 0),
        cached_tokens: 2,
        e2e_latency: 0.1,
      },
    }
  })
}

/** The answer of llama.cpp's `/completion` without stream. */
export function llamaCppAnswer(
  body: Body,
  ids: readonly number[],
  stop_type: string,
  more: object = {},
): object {
  const evaluated = (body.prompt as readonly number[]).length
  return {
    index: 0,
    content: ids.map((id) => ` t${id} 字`).join(''),
    tokens: ids,
    id_slot: 0,
    stop: true,
    model: 'model.gguf',
    tokens_predicted: ids.length,
    tokens_evaluated: evaluated,
    has_new_line: false,
    truncated: false,
    stop_type,
    stopping_word: '',
    tokens_cached: evaluated + ids.length - 1,
    timings: { cache_n: 2, prompt_n: evaluated - 2, predicted_n: ids.length },
    ...more,
  }
}
