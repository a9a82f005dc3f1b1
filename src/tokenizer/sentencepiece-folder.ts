import { UnsupportedTokenizerError } from '../errors.js'
import { isBracketedMark } from '../load/bracketed-mark.js'
import type { LoadWarning } from '../load/load-warning.js'
import type { ModelFolder } from '../load/model-folder.js'
import { quoted } from '../load/quoted.js'
import type { FolderToken, FolderTokens } from '../load/special-tokens.js'
import { type PieceTable, PieceType, type TokenizerSpec } from '../load/tokenizer-spec.js'
import type { CommandSet } from './commands.js'
import type { CompileInput } from './compile-input.js'
import type { ReservePolicy } from './reserve-policy.js'
import { type SentencePieceVersion, sentencePieceInput } from './sentencepiece-input.js'

/**
 * What a SentencePiece model compiles to, with what its folder adds: an added token takes the place of the piece whose id
 * it is given, be it under another name; special ones are control pieces then, and those behind the vocabulary commands.
 * A caller's commands, and ChatGLM's, stand for all of that.
 *
 * @throws UnsupportedTokenizerError for an added token behind the vocabulary that is ordinary text: SentencePiece has none
 *
 * Source of behaviour: transformers 5.23.0 for which tokens there are and their ids; text between them is SentencePiece's.
 */
export function fromPieces(
  spec: TokenizerSpec,
  commands: CommandSet | undefined,
  folder: ModelFolder | undefined,
  policy: ReservePolicy,
  version?: SentencePieceVersion | undefined,
): { completed: TokenizerSpec; input: CompileInput; flags: readonly LoadWarning[] } {
  if (folder === undefined || (commands?.names.length ?? 0) > 0) {
    return {
      completed: spec,
      input: sentencePieceInput(spec, commands ?? { names: [] }, policy, version),
      flags: [],
    }
  }
  const tokens = distinct(folder.tokens)
  const ids = pieceIds(spec.pieces, new Set(tokens.keys()))
  const listed = new Map(folder.tokens.listed.map(({ content, id }) => [content, id]))
  const types = spec.pieces.types.slice()
  const renamed = new Map<number, string>()
  const names: string[] = []
  const flags: LoadWarning[] = []
  for (const [content, token] of tokens) {
    let id = ids.get(content)
    if (id === undefined && isPlace(types, listed.get(content))) {
      id = listed.get(content) as number
      renamed.set(id, content)
      types[id] = PieceType.USER_DEFINED
    }
    if (token.lstrip || token.rstrip || token.singleWord) {
      flags.push(flagsWarning(id ?? types.length + names.length, content))
    }
    if (id === undefined) {
      if (!token.special && !isBracketedMark(content)) {
        throw new UnsupportedTokenizerError(
          spec.source,
          `added token ${quoted(content)}`,
          'it is ordinary text, which a SentencePiece vocabulary cannot take behind it',
        )
      }
      names.push(content)
    } else if (token.special && (types[id] === PieceType.NORMAL || types[id] === PieceType.USER_DEFINED)) {
      types[id] = PieceType.CONTROL
    }
  }
  const completed = { ...spec, pieces: { ...withTexts(spec.pieces, renamed), types } }
  return { completed, input: sentencePieceInput(completed, { names }, policy, version, false), flags }
}

/** Whether a piece may have another name. Unknown and byte pieces have a role of their own. */
function isPlace(types: Uint8Array, id: number | undefined): boolean {
  const type = id === undefined ? undefined : types[id]
  return type !== undefined && type !== PieceType.UNKNOWN && type !== PieceType.BYTE
}

function withTexts(pieces: PieceTable, texts: ReadonlyMap<number, string>): PieceTable {
  if (texts.size === 0) return pieces
  const all = Array.from(pieces.types, (_, id) => {
    const text = texts.get(id)
    if (text !== undefined) return new TextEncoder().encode(text)
    return pieces.bytes.subarray(pieces.offsets[id], pieces.offsets[id + 1])
  })
  const offsets = new Uint32Array(all.length + 1)
  all.forEach((bytes, id) => {
    offsets[id + 1] = (offsets[id] as number) + bytes.length
  })
  return { ...pieces, bytes: new Uint8Array(Buffer.concat(all)), offsets }
}

/** By content, in the order in which ids are given. */
function distinct({ listed, special }: FolderTokens): Map<string, FolderToken> {
  const tokens = new Map<string, FolderToken>()
  for (const token of listed) {
    tokens.set(token.content, {
      ...token,
      special: token.special || tokens.get(token.content)?.special === true,
    })
  }
  for (const token of special) if (!tokens.has(token.content)) tokens.set(token.content, token)
  tokens.delete('')
  return tokens
}

function pieceIds({ bytes, offsets, types }: PieceTable, wanted: ReadonlySet<string>): Map<string, number> {
  const encoded = new Map([...wanted].map((content) => [latin1(new TextEncoder().encode(content)), content]))
  const lengths = new Set([...encoded.keys()].map(({ length }) => length))
  const ids = new Map<string, number>()
  for (let id = 0; id < types.length; id++) {
    const [start, end] = [offsets[id] as number, offsets[id + 1] as number]
    const content = lengths.has(end - start) ? encoded.get(latin1(bytes.subarray(start, end))) : undefined
    if (content !== undefined) ids.set(content, id)
  }
  return ids
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}

function flagsWarning(id: number, name: string): LoadWarning {
  const message = `the flags lstrip, rstrip and single_word of ${quoted(name)} mean nothing in a SentencePiece model`
  return { code: 'ADDED_TOKEN_FLAGS', token: { id, name }, message }
}
