import { UnsupportedTokenizerError } from '../../errors.js'
import { PieceType, pieceText, type TokenizerSpec } from '../../load/tokenizer-spec.js'

/**
 * A SentencePiece BPE model as Hugging Face's converter writes it for Llama and its kin. All nine commands of
 * ChatGLM3 become special tokens, as its tokenizer has it under `encode_special_tokens=True`; the published
 * `tokenizer_config.json` lists only `[gMASK]`, `sop`, `<|user|>` and `<|assistant|>`.
 *
 * @throws UnsupportedTokenizerError for other models, and for a charsmap
 * @see transformers 4.57 `convert_slow_tokenizer.py`, `SpmConverter` and `LlamaConverter`
 */
export function sentencePieceJson(spec: TokenizerSpec, commandNames: readonly string[]): object {
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
