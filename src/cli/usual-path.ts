import { pythonJsonDumps } from '../chat/python-json.js'
import { SafetokensError, UnsupportedTokenizerError } from '../errors.js'
import { PieceType, pieceText, type TokenizerSpec } from '../load/tokenizer-spec.js'

/** The fields of a message that ChatGLM3's template reads. */
export interface UsualMessage {
  readonly role: string
  readonly content: string
  readonly metadata?: string | undefined
  readonly tools?: unknown
}

/** A stretch of the rendered prompt. The tokenizer never sees where one ends: that is the hole. */
export interface RenderedPart {
  readonly text: string
  readonly fromTemplate: boolean
}

/** What is used of `@huggingface/tokenizers`, whose own types do not resolve under NodeNext. */
interface HuggingFace {
  readonly Tokenizer: new (
    tokenizerJson: object,
    config: object,
  ) => { encode(text: string, options: { add_special_tokens: boolean }): { ids: number[] } }
}

const PACKAGE: string = '@huggingface/tokenizers' // a variable, so that no bundler copies the package into ours

/**
 * What most stacks do today, for comparison only: a chat template writes the conversation as one string, and a
 * tokenizer that finds special tokens in text turns it into ids. It really runs, on Hugging Face's tokenizer.
 */
export class UsualPath {
  readonly #tokenizer: InstanceType<HuggingFace['Tokenizer']>

  private constructor(tokenizer: InstanceType<HuggingFace['Tokenizer']>) {
    this.#tokenizer = tokenizer
  }

  /**
   * @param commandNames the tokens behind the vocabulary, in order of id
   * @throws SafetokensError with code `MISSING_PACKAGE` when `@huggingface/tokenizers` is not installed
   */
  static async load(spec: TokenizerSpec, commandNames: readonly string[]): Promise<UsualPath> {
    const { Tokenizer } = await importHuggingFace()
    return new UsualPath(new Tokenizer(tokenizerJson(spec, commandNames), {}))
  }

  /** The conversation as one string, ending with the generation prompt. */
  render(messages: readonly UsualMessage[]): string {
    return this.renderParts(messages)
      .map((part) => part.text)
      .join('')
  }

  /**
   * As {@link render}, in pieces that say what the template wrote. This is the published `chat_template` of
   * THUDM/chatglm3-6b (note its space after the newline: it makes up for the dummy prefix of a second call).
   * That template ignores tools and metadata, so both are written as `build_chat_input` does.
   */
  renderParts(messages: readonly UsualMessage[]): RenderedPart[] {
    const parts: RenderedPart[] = [template('[gMASK]sop')]
    for (const { role, content, metadata = '', tools } of messages) {
      parts.push(template(`<|${role}|>`), data(metadata), template('\n '), data(content))
      if (role === 'system' && tools !== undefined) {
        parts.push(template('\n'), data(pythonJsonDumps(tools, { indent: 4 })))
      }
    }
    return [...parts, template('<|assistant|>')]
  }

  /** Ids of a rendered conversation, special tokens parsed from the text. */
  encode(rendered: string): number[] {
    return this.#tokenizer.encode(rendered, { add_special_tokens: false }).ids
  }
}

const template = (text: string): RenderedPart => ({ text, fromTemplate: true })
const data = (text: string): RenderedPart => ({ text, fromTemplate: false })

async function importHuggingFace(): Promise<HuggingFace> {
  try {
    return (await import(/* @vite-ignore */ PACKAGE)) as HuggingFace
  } catch (cause) {
    const message =
      `the usual path runs on ${PACKAGE}, which cannot be loaded here; ` +
      `run "npm install ${PACKAGE}" and try again`
    throw new SafetokensError('MISSING_PACKAGE', message, { cause })
  }
}

/**
 * A SentencePiece BPE model as Hugging Face's converter writes it for Llama and its kin. All nine commands of
 * ChatGLM3 become special tokens, as its tokenizer has it under `encode_special_tokens=True`; the published
 * `tokenizer_config.json` lists only `[gMASK]`, `sop`, `<|user|>` and `<|assistant|>`.
 *
 * @see transformers 4.57 `convert_slow_tokenizer.py`, `SpmConverter` and `LlamaConverter`
 */
function tokenizerJson(spec: TokenizerSpec, commandNames: readonly string[]): object {
  if (spec.model !== 'bpe' || spec.normalizer.charsmap.length > 0) {
    throw new UnsupportedTokenizerError(
      spec.source,
      `model ${spec.model}`,
      'the usual path is shown for BPE models without a charsmap',
    )
  }
  const { types } = spec.pieces
  const names = Array.from(types, (_, id) => pieceText(spec.pieces, id))
  const ids = new Map(names.map((name, id) => [name, id]))
  const added = names.flatMap((content, id) => {
    switch (types[id]) {
      case PieceType.CONTROL:
      case PieceType.UNKNOWN:
        return [addedToken(id, content, true)]
      case PieceType.USER_DEFINED:
        return [addedToken(id, content, false)]
      default:
        return []
    }
  })
  const commands = commandNames.map((content, i) => addedToken(types.length + i, content, true))
  return {
    version: '1.0',
    added_tokens: [...added, ...commands],
    normalizer: {
      type: 'Sequence',
      normalizers: [
        ...(spec.normalizer.addDummyPrefix ? [{ type: 'Prepend', prepend: '▁' }] : []),
        { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
      ],
    },
    pre_tokenizer: null,
    post_processor: null,
    decoder: {
      type: 'Sequence',
      decoders: [
        { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
        { type: 'ByteFallback' },
        { type: 'Fuse' },
        { type: 'Strip', content: ' ', start: 1, stop: 0 },
      ],
    },
    model: {
      type: 'BPE',
      unk_token: names[types.indexOf(PieceType.UNKNOWN)] ?? null,
      fuse_unk: true,
      byte_fallback: spec.byteFallback,
      ignore_merges: false,
      vocab: Object.fromEntries(ids),
      merges: merges(spec, names, ids),
    },
  }
}

function addedToken(id: number, content: string, special: boolean): object {
  return { id, content, special, normalized: false, single_word: false, lstrip: false, rstrip: false }
}

interface Merge {
  readonly pair: readonly [string, string]
  readonly score: number
  readonly lengths: readonly [number, number]
}

/**
 * SentencePiece keeps no list of merges: any two pieces that make up a third may join, best score first. Where a
 * piece has several splits, the converter ranks them by their lengths, the longer left side first.
 */
function merges(spec: TokenizerSpec, names: readonly string[], ids: ReadonlyMap<string, number>): object[] {
  const { types, scores } = spec.pieces
  const isNormal = (name: string): boolean => types[ids.get(name) ?? -1] === PieceType.NORMAL
  const found: Merge[] = []
  names.forEach((name, id) => {
    if (types[id] !== PieceType.NORMAL) return
    const points = [...name]
    let at = 0
    for (let left = 1; left < points.length; left++) {
      at += points[left - 1]?.length ?? 0
      const pair = [name.slice(0, at), name.slice(at)] as const
      if (!isNormal(pair[0]) || !isNormal(pair[1])) continue
      found.push({ pair, score: scores[id] ?? 0, lengths: [left, points.length - left] })
    }
  })
  return found
    .sort((a, b) => b.score - a.score || b.lengths[0] - a.lengths[0] || b.lengths[1] - a.lengths[1])
    .map((merge) => [...merge.pair])
}
