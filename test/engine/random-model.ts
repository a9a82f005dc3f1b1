// A llama model with random weights and the vocabulary of models/mini-chatml: it writes nonsense, but it is a real model.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { mulberry32 } from '../conformance/random-texts.js'
import { type BpeJson, ggufFromBpeJson, ggufModel, type Tensor } from '../fixtures/gguf-writer.js'

const WIDTH = 64

/** The bytes of a GGUF file, about 4 MB. The same seed gives the same. */
export function randomModel(seed: number): Uint8Array {
  const file = path.resolve(import.meta.dirname, '../../models/mini-chatml/tokenizer.json')
  const json = JSON.parse(readFileSync(file, 'utf8')) as BpeJson
  const size = Object.keys(json.model.vocab).length + json.added_tokens.length
  const eos = json.added_tokens.find(({ content }) => content === '<|im_end|>')?.id ?? 0
  const random = mulberry32(seed)
  const matrix = (rows: number): Tensor => ({
    shape: [WIDTH, rows],
    data: Float32Array.from({ length: WIDTH * rows }, () => (random() - 0.5) * 0.6),
  })
  const ones = (): Tensor => ({ shape: [WIDTH], data: new Float32Array(WIDTH).fill(1) })
  const inputs = ggufFromBpeJson(json, 'qwen2', size, {
    'tokenizer.ggml.eos_token_id': ['u32', eos],
    'tokenizer.ggml.add_bos_token': ['bool', false],
  })
  return ggufModel(inputs, {
    'token_embd.weight': matrix(size),
    'output_norm.weight': ones(),
    'output.weight': matrix(size),
    'blk.0.attn_norm.weight': ones(),
    'blk.0.attn_q.weight': matrix(WIDTH),
    'blk.0.attn_k.weight': matrix(WIDTH),
    'blk.0.attn_v.weight': matrix(WIDTH),
    'blk.0.attn_output.weight': matrix(WIDTH),
    'blk.0.ffn_norm.weight': ones(),
    'blk.0.ffn_gate.weight': matrix(WIDTH),
    'blk.0.ffn_down.weight': matrix(WIDTH),
    'blk.0.ffn_up.weight': matrix(WIDTH),
  })
}
