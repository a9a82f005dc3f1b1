// Real tokenizers with chat templates of real models. scripts/golden-chats.py writes what transformers makes of
// conversations with each pair; chat-pair-files.ts has their files, for it and for the tests alike.
import type { TokenizerName } from './chat-pair-files.js'

export interface ChatPair {
  /** Also the name of the golden file. */
  readonly name: string
  readonly tokenizer: TokenizerName
  /**
   * Added tokens by id: others than the tokenizer's own, or new ones, each with its flags. Models that share a
   * vocabulary differ in these.
   */
  readonly tokens?: Readonly<Record<number, string | AddedToken>>
  /** A file below ../shared/data/templates, or `own`: the one that comes with the tokenizer. */
  readonly template: string
  /** Variables of the template, and special tokens of the model. */
  readonly special: { readonly bos_token?: string; readonly eos_token?: string; readonly pad_token?: string }
  /** Roles whose turns are left out of the conversations, as the template takes none. */
  readonly without?: readonly string[]
}

export interface AddedToken {
  readonly content: string
  readonly special?: boolean
  readonly lstrip?: boolean
  readonly rstrip?: boolean
}

const text = (content: string): AddedToken => ({ content, special: false })
const right = (content: string): AddedToken => ({ content, rstrip: true })
const both = (content: string): AddedToken => ({ content, lstrip: true, rstrip: true })

const LLAMA_3 = { bos_token: '<|begin_of_text|>', eos_token: '<|eot_id|>' }
const LLAMA_3_1 = {
  128004: '<|finetune_right_pad_id|>',
  128008: '<|eom_id|>',
  128010: '<|python_tag|>',
}
const CHATML = { eos_token: '<|im_end|>', pad_token: '<|endoftext|>' }
const DEEPSEEK = { bos_token: '<｜begin▁of▁sentence｜>', eos_token: '<｜end▁of▁sentence｜>' }
const GEMMA = { bos_token: '<bos>', eos_token: '<eos>', pad_token: '<pad>' }
const SENTENCEPIECE = { bos_token: '<s>', eos_token: '</s>' }
/** Which roles Llama-2-like templates and Gemma 2 take none of. */
const without = ['system']

export const CHAT_PAIRS: readonly ChatPair[] = [
  { name: 'mini-chatml', tokenizer: 'mini-chatml', template: 'own', special: CHATML },
  {
    name: 'smollm2-template',
    tokenizer: 'mini-chatml',
    template: 'hfjs-ollama-utils/library_smollm2_135m',
    special: CHATML,
  },
  // Llama 3
  { name: 'llama3', tokenizer: 'llama3_1', template: 'own', special: LLAMA_3 },
  {
    name: 'llama3.1',
    tokenizer: 'llama3_1',
    tokens: LLAMA_3_1,
    template: 'hfjs-jinja-e2e/meta-llama_Llama-3.1-8B-Instruct',
    special: LLAMA_3,
  },
  {
    name: 'llama3.2',
    tokenizer: 'llama3_1',
    tokens: LLAMA_3_1,
    template: 'hfjs-ollama-utils/library_llama3.2_3b',
    special: LLAMA_3,
  },
  {
    name: 'llama3.2-vision',
    tokenizer: 'llama3_1',
    tokens: { ...LLAMA_3_1, 128256: '<|image|>' },
    template: 'hfjs-jinja-e2e/meta-llama_Llama-3.2-11B-Vision-Instruct',
    special: LLAMA_3,
  },
  {
    name: 'nemotron',
    tokenizer: 'llama3_1',
    tokens: LLAMA_3_1,
    template: 'hfjs-ollama-utils/library_nemotron_70b',
    special: LLAMA_3,
  },
  {
    name: 'cogito',
    tokenizer: 'llama3_1',
    tokens: LLAMA_3_1,
    template: 'hfjs-ollama-utils/library_cogito_3b',
    special: LLAMA_3,
  },
  {
    name: 'hermes2-pro',
    tokenizer: 'llama3_1',
    tokens: {
      128002: '<|im_start|>',
      128003: '<|im_end|>',
      128011: text('<tool_call>'),
      128012: text('</tool_call>'),
      128013: text('<tool_response>'),
      128014: text('</tool_response>'),
    },
    template: 'hfjs-jinja-e2e/NousResearch_Hermes-2-Pro-Llama-3-8B_JSON_Schema',
    special: { bos_token: '<|begin_of_text|>', eos_token: '<|im_end|>' },
  },
  {
    name: 'hermes3',
    tokenizer: 'llama3_1',
    tokens: { 128002: '<|im_start|>', 128040: '<|im_end|>' },
    template: 'hfjs-ollama-utils/library_hermes3_70b',
    special: { bos_token: '<|begin_of_text|>', eos_token: '<|im_end|>' },
  },
  {
    name: 'deepseek-r1-distill-llama',
    tokenizer: 'llama3_1',
    tokens: {
      128000: DEEPSEEK.bos_token,
      128001: DEEPSEEK.eos_token,
      128011: text('<｜User｜>'),
      128012: text('<｜Assistant｜>'),
      128013: text('<think>'),
      128014: text('</think>'),
    },
    template: 'hfjs-ollama-utils/library_deepseek-r1_8b',
    special: DEEPSEEK,
  },
  {
    name: 'smollm3',
    tokenizer: 'llama3_1',
    tokens: {
      128002: text('<think>'),
      128003: text('</think>'),
      128011: '<|im_start|>',
      128012: '<|im_end|>',
      128013: text('<tool_call>'),
      128014: text('</tool_call>'),
      128015: text('<code>'),
      128016: text('</code>'),
    },
    template: 'hfjs-jinja-e2e/HuggingFaceTB_SmolLM3-3B',
    special: { eos_token: '<|im_end|>' },
  },
  {
    name: 'tulu3', // its marks are text
    tokenizer: 'llama3_1',
    template: 'hfjs-ollama-utils/library_tulu3_70b',
    special: { bos_token: '<|begin_of_text|>', eos_token: '<|end_of_text|>' },
  },
  // Qwen
  { name: 'qwen3', tokenizer: 'qwen3', template: 'own', special: CHATML },
  {
    name: 'qwen3-coder',
    tokenizer: 'qwen3',
    template: 'minja/Qwen-Qwen3-Coder-30B-A3B-Instruct',
    special: CHATML,
  },
  {
    name: 'qwen3-next',
    tokenizer: 'qwen3',
    template: 'hfjs-ollama-utils/library_qwen3-next_80b',
    special: CHATML,
  },
  { name: 'qwen3.5', tokenizer: 'qwen3', template: 'hfjs-jinja-e2e/Qwen_Qwen3.5-4B', special: CHATML },
  {
    name: 'qwen2.5',
    tokenizer: 'qwen3',
    template: 'hfjs-jinja-e2e/Qwen_Qwen2.5-7B-Instruct',
    special: CHATML,
  },
  {
    name: 'qwen2.5-vl',
    tokenizer: 'qwen3',
    template: 'hfjs-jinja-e2e/Qwen_Qwen2.5-VL-7B-Instruct',
    special: CHATML,
  },
  { name: 'qwen1.5', tokenizer: 'qwen3', template: 'hfjs-jinja-e2e/Qwen_Qwen1.5-72B-Chat', special: CHATML },
  { name: 'qwq', tokenizer: 'qwen3', template: 'hfjs-ollama-utils/library_qwq_32b__3', special: CHATML },
  { name: 'hammer2.1', tokenizer: 'qwen3', template: 'hfjs-jinja-e2e/MadeAgents_Hammer2.1', special: CHATML },
  {
    name: 'deepseek-r1-distill-qwen',
    tokenizer: 'qwen3',
    tokens: {
      151643: DEEPSEEK.eos_token,
      151644: text('<｜User｜>'),
      151645: text('<｜Assistant｜>'),
      151646: DEEPSEEK.bos_token,
      151647: text('<|EOT|>'),
      151648: text('<think>'),
      151649: text('</think>'),
      151667: text('<|unused_151667|>'),
      151668: text('<|unused_151668|>'),
    },
    template: 'hfjs-ollama-utils/library_deepcoder_14b',
    special: DEEPSEEK,
  },
  // DeepSeek
  { name: 'deepseek-v3', tokenizer: 'deepseek_v3', template: 'own', special: DEEPSEEK },
  {
    name: 'deepseek-r1',
    tokenizer: 'deepseek_v3',
    template: 'hfjs-jinja-e2e/deepseek-ai_DeepSeek-R1',
    special: DEEPSEEK,
  },
  {
    name: 'deepseek-v3.1',
    tokenizer: 'deepseek_v3',
    template: 'hfjs-ollama-utils/library_deepseek-v3.1_latest',
    special: DEEPSEEK,
  },
  // Gemma
  { name: 'gemma2', tokenizer: 'gemma2', template: 'own', special: GEMMA, without },
  { name: 'gemma3', tokenizer: 'gemma3', template: 'own', special: GEMMA },
  {
    name: 'gemma3-on-gemma2',
    tokenizer: 'gemma2',
    tokens: { 7: '<start_of_image>' },
    template: 'hfjs-ollama-utils/library_gemma3_270m',
    special: GEMMA,
  },
  {
    name: 'zephyr-gemma',
    tokenizer: 'gemma2',
    tokens: { 106: '<|im_start|>', 107: '<|im_end|>' },
    template: 'hfjs-jinja-e2e/HuggingFaceH4_zephyr-7b-gemma-v0.1',
    special: GEMMA,
  },
  // Mistral and others on its first vocabulary
  {
    name: 'mistral-v0.1',
    tokenizer: 'mistral',
    template: 'hfjs-jinja-e2e/TheBloke_Mistral-7B-Instruct-v0.1-GPTQ',
    special: SENTENCEPIECE,
    without,
  },
  {
    name: 'mixtral',
    tokenizer: 'mistral',
    template: 'hfjs-jinja-e2e/mistralai_Mixtral-8x7B-Instruct-v0.1',
    special: SENTENCEPIECE,
    without,
  },
  {
    name: 'zephyr',
    tokenizer: 'mistral',
    template: 'hfjs-jinja-e2e/HuggingFaceH4_zephyr-7b-beta_add_generation_prompt_false',
    special: SENTENCEPIECE,
  },
  {
    name: 'openchat',
    tokenizer: 'mistral',
    tokens: { 32000: '<|end_of_turn|>' },
    template: 'hfjs-jinja-e2e/openchat_openchat-3.5-0106',
    special: { bos_token: '<s>', eos_token: '<|end_of_turn|>' },
  },
  {
    name: 'dolphin-mixtral',
    tokenizer: 'mistral',
    tokens: { 32000: '<|im_end|>', 32001: text('<|im_start|>') },
    template: 'hfjs-jinja-e2e/cognitivecomputations_dolphin-2.5-mixtral-8x7b',
    special: { bos_token: '<s>', eos_token: '<|im_end|>' },
  },
  {
    name: 'mistral-v1',
    tokenizer: 'mistral',
    template: 'mistral-common/v1_spm',
    special: SENTENCEPIECE,
  },
  { name: 'mistral-v2', tokenizer: 'mistral-v2', template: 'mistral-common/v2_spm', special: SENTENCEPIECE },
  { name: 'mistral-v3', tokenizer: 'mistral-v3', template: 'mistral-common/v3_spm', special: SENTENCEPIECE },
  {
    name: 'mistral-v0.3',
    tokenizer: 'mistral-v3',
    template: 'hfjs-jinja-e2e/mistralai_Mistral-7B-Instruct-v0.3_JSON_Schema',
    special: SENTENCEPIECE,
  },
  { name: 'mistral-v7', tokenizer: 'mistral-v7', template: 'mistral-common/v7_spm', special: SENTENCEPIECE },
  {
    name: 'mistral-nemo',
    tokenizer: 'tekken-240718',
    template: 'hfjs-jinja-e2e/mistralai_Mistral-Nemo-Instruct-2407',
    special: SENTENCEPIECE,
  },
  {
    name: 'mistral-v3-tekken',
    tokenizer: 'tekken-240911',
    template: 'mistral-common/v3',
    special: SENTENCEPIECE,
  },
  // Llama 2 and others on its vocabulary
  {
    name: 'llama2',
    tokenizer: 'llama2',
    template: 'hfjs-ollama-utils/library_llama2_7b',
    special: SENTENCEPIECE,
  },
  { name: 'alpaca', tokenizer: 'llama2', template: 'vllm/template_alpaca', special: SENTENCEPIECE },
  {
    name: 'phi3', // most of its tokens take white space behind them along
    tokenizer: 'llama2',
    tokens: {
      2: { content: '</s>', special: false, rstrip: true },
      32000: '<|endoftext|>',
      32001: right('<|assistant|>'),
      32002: right('<|placeholder1|>'),
      32003: right('<|placeholder2|>'),
      32004: right('<|placeholder3|>'),
      32005: right('<|placeholder4|>'),
      32006: right('<|system|>'),
      32007: right('<|end|>'),
      32008: right('<|placeholder5|>'),
      32009: right('<|placeholder6|>'),
      32010: right('<|user|>'),
    },
    template: 'hfjs-ollama-utils/library_phi3_3.8b',
    special: { bos_token: '<s>', eos_token: '<|endoftext|>' },
  },
  // OpenAI's vocabularies
  {
    name: 'phi4', // its tokens take white space on both sides along
    tokenizer: 'cl100k',
    tokens: {
      100257: both('<|endoftext|>'),
      100264: both('<|im_start|>'),
      100265: both('<|im_end|>'),
      100266: both('<|im_sep|>'),
    },
    template: 'hfjs-ollama-utils/library_phi4_14b',
    special: { bos_token: '<|endoftext|>', eos_token: '<|im_end|>' },
  },
  {
    name: 'granite4',
    tokenizer: 'cl100k',
    tokens: {
      100257: '<|end_of_text|>',
      100264: '<|start_of_role|>',
      100265: '<|end_of_role|>',
      100266: '<|tool_call|>',
      100267: text('<tool_call>'),
      100268: text('</tool_call>'),
      100269: text('<tool_response>'),
      100270: text('</tool_response>'),
    },
    template: 'hfjs-ollama-utils/library_granite4_latest',
    special: { bos_token: '<|end_of_text|>', eos_token: '<|end_of_text|>' },
  },
  {
    name: 'phi4-mini', // its template puts tokens together from the role
    tokenizer: 'o200k',
    tokens: {
      200019: right('<|assistant|>'),
      200020: right('<|end|>'),
      200021: right('<|user|>'),
      200022: right('<|system|>'),
      200023: { content: '<|tool|>', special: false, rstrip: true },
      200024: { content: '<|/tool|>', special: false, rstrip: true },
    },
    template: 'vllm/tool_chat_template_phi4_mini',
    special: { bos_token: '<|endoftext|>', eos_token: '<|endoftext|>' },
  },
  // GLM
  { name: 'glm4', tokenizer: 'glm4', template: 'hfjs-ollama-utils/library_glm4_9b', special: {} },
]
