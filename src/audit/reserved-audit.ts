import type { PipelineSpec } from '../load/pipeline-spec.js'
import { PieceType, type TokenizerSpec } from '../load/tokenizer-spec.js'
import type { ReserveReason } from '../tokenizer/reserve-policy.js'
import { WRITINGS } from './bank/writings.js'
import type { Progress } from './progress.js'
import type { AuditTarget } from './target.js'
import type { TextEncoder } from './usual-path/usual-tokenizer.js'

/** A text that gives a reserved id. */
export interface Witness {
  /**
   * `literal`: the token as it is spelled, found among the added tokens. `normalization`: another spelling, which the
   * normalizer turns into the token. `vocabulary`: no added token is found; the model itself gives the id.
   */
  readonly kind: 'literal' | 'normalization' | 'vocabulary'
  readonly text: string
}

export interface TokenFlags {
  readonly special: boolean
  readonly normalized: boolean
  readonly singleWord: boolean
  readonly lstrip: boolean
  readonly rstrip: boolean
}

/** What text can do with one reserved id. Witnesses are in order of length; an empty list says that none was found. */
export interface ReservedAudit {
  readonly id: number
  readonly name: string
  readonly reason: ReserveReason
  /** Of an added token of `tokenizer.json`. */
  readonly flags: TokenFlags | undefined
  /** Of a SentencePiece model: `CONTROL`, `USER_DEFINED` and so on. */
  readonly pieceType: string | undefined
  readonly usual: readonly Witness[]
  /** Under Hugging Face's `split_special_tokens`; undefined where that rule does not exist. */
  readonly split: readonly Witness[] | undefined
  /** Through safetokens: a bug, if there is one. */
  readonly ours: readonly Witness[]
}

/** Witnesses longer than this are not made shorter. */
const MOST_TO_SHORTEN = 64

/** Tries to reach every reserved id with its name in all writings. */
export function auditReserved(target: AuditTarget, progress: Progress): ReservedAudit[] {
  const { tokenizer, usual, encoder, files } = target
  const details = detailsOf(files.spec)
  return tokenizer.reserved.map(({ id, name, reason }, i) => {
    progress('reserved ids', i, tokenizer.reserved.length)
    const { flags, pieceType } = details(id)
    const texts = candidates(name)
    const search = (encode: TextEncoder, isFound: boolean) => witnesses(encode, id, name, texts, isFound)
    // A piece that the user has defined becomes an added token that is not special.
    const notSpecial = flags === undefined ? pieceType === 'USER_DEFINED' : !flags.special
    const isAdded =
      flags !== undefined || reason === 'command' || (pieceType !== undefined && pieceType !== 'UNUSED')
    return {
      id,
      name,
      reason,
      flags,
      pieceType,
      usual: search(usual.encode, isAdded),
      split: usual.encodeSplit && search(usual.encodeSplit, isAdded && notSpecial),
      ours: search((text) => encoder.encodeText(text), false),
    }
  })
}

/** The name in all writings, shortest first, then in the order of the list. */
function candidates(name: string): string[] {
  const texts = [...new Set([name, ` ${name} `, ...WRITINGS.map((write) => write(name))])]
  return texts.sort((a, b) => length(a) - length(b))
}

/** @param isAdded the tokenizer looks for the token in text */
function witnesses(
  encode: TextEncoder,
  id: number,
  name: string,
  texts: readonly string[],
  isAdded: boolean,
): Witness[] {
  const reaches = (text: string): boolean => includes(encode(text), id)
  const found: Witness[] = []
  const add = (kind: Witness['kind'], text: string): void => {
    if (found.every((witness) => witness.kind !== kind)) found.push({ kind, text })
  }
  for (const text of texts) {
    if (!reaches(text)) continue
    const spelled = text.includes(name)
    // What contains the name is no shorter than the name, which was tried before.
    const shortest = spelled && reaches(name) ? name : shortened(text, reaches)
    if (!isAdded) add('vocabulary', shortest)
    else add(shortest.includes(name) ? 'literal' : 'normalization', shortest)
  }
  return found.sort((a, b) => length(a.text) - length(b.text))
}

/** Takes characters away for as long as the text reaches the id. */
function shortened(text: string, reaches: (text: string) => boolean): string {
  let characters = Array.from(text)
  if (characters.length > MOST_TO_SHORTEN) return text
  for (let i = 0; i < characters.length; ) {
    const fewer = characters.toSpliced(i, 1)
    if (reaches(fewer.join(''))) {
      characters = fewer
      i = 0
    } else i++
  }
  return characters.join('')
}

function includes(ids: ArrayLike<number>, id: number): boolean {
  for (let i = 0; i < ids.length; i++) if (ids[i] === id) return true
  return false
}

const length = (text: string): number => Array.from(text).length

const PIECE_TYPES = new Map(Object.entries(PieceType).map(([name, type]) => [type as number, name]))

function detailsOf(
  spec: TokenizerSpec | PipelineSpec,
): (id: number) => { flags: TokenFlags | undefined; pieceType: string | undefined } {
  if ('pieces' in spec) {
    return (id) => ({ flags: undefined, pieceType: PIECE_TYPES.get(spec.pieces.types[id] ?? -1) })
  }
  const added = new Map(
    spec.addedTokens.map(({ id, special, normalized, singleWord, lstrip, rstrip }) => [
      id,
      { special, normalized, singleWord, lstrip, rstrip },
    ]),
  )
  return (id) => ({ flags: added.get(id), pieceType: undefined })
}
