import { InvalidArgumentError } from '../errors.js'
import { PieceType, type TokenizerSpec } from '../load/tokenizer-spec.js'
import type { CommandSet } from './commands.js'
import { type CompileInput, type Control, NO_TEMPLATE, nativeControls } from './compile-input.js'
import { type ReservedToken, ReservedTokens, type ReservePolicy } from './reserve-policy.js'
import { reservedTokens } from './sentencepiece-reserve.js'

/** As native/core/sentencepiece_spec.hpp numbers them. */
const ALGORITHMS = { unigram: 1, bpe: 2, word: 3, char: 4 } as const

/** Versions between which the ids of a model may differ: `0.2.1` and before, `0.2.3` and from 0.2.2 on. */
export type SentencePieceVersion = '0.2.1' | '0.2.3'

/**
 * What a SentencePiece model and its commands compile to.
 *
 * @param onlyCommands the commands of a model that has some, and their aliases, are all its names of control tokens
 * @throws InvalidArgumentError for an unknown version, or a policy as in {@link reservedTokens}
 */
export function sentencePieceInput(
  spec: TokenizerSpec,
  commands: CommandSet,
  policy: ReservePolicy,
  version: SentencePieceVersion = '0.2.1',
  onlyCommands = true,
): CompileInput {
  if (version !== '0.2.1' && version !== '0.2.3') {
    throw new InvalidArgumentError(
      `sentencePieceVersion: '0.2.1' or '0.2.3' was expected, not ${JSON.stringify(version)}`,
    )
  }
  const { pieces } = spec
  const reserved = reservedTokens(spec, commands.names, policy)
  const controls = controlTable(spec, reserved, onlyCommands ? commands : { names: [] })
  return {
    source: spec.source,
    file: spec.file,
    model: spec.model,
    semantics: spec.semantics,
    reserved: ReservedTokens.of(reserved),
    vocabSize: pieces.types.length + commands.names.length,
    controlNames: () => controls.map(({ name }) => name),
    template: spec.postProcessor ?? NO_TEMPLATE,
    native: {
      algorithm: ALGORITHMS[spec.model],
      floatSums: version === '0.2.3',
      pieceBytes: pieces.bytes,
      offsets: pieces.offsets,
      scores: pieces.scores,
      types: pieces.types,
      reserved: Uint32Array.from(
        reserved.filter(({ id }) => id < pieces.types.length),
        ({ id }) => id,
      ),
      commands: commands.names,
      ...nativeControls(controls),
      ...spec.normalizer,
      byteFallback: spec.byteFallback,
      unkSurface: spec.unkSurface,
    },
  }
}

/**
 * The names under which control tokens are known. Where a model has commands, they and their aliases are all, as
 * in ChatGLM3's `get_command`; else every reserved token goes by its own name.
 */
function controlTable(
  spec: TokenizerSpec,
  reserved: readonly ReservedToken[],
  commands: CommandSet,
): Control[] {
  const pieces = spec.pieces.types.length
  if (commands.names.length === 0) {
    return reserved.map(({ id, name }) => {
      const type = spec.pieces.types[id]
      return { id, name, inText: type !== PieceType.UNKNOWN && type !== PieceType.UNUSED }
    })
  }
  const aliases = Object.entries(commands.aliases ?? {})
  return [
    ...commands.names.map((name, i) => ({ name, id: pieces + i, inText: true })),
    ...aliases.map(([name, id]) => ({ name, id, inText: false })),
  ]
}
