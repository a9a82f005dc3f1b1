import { PieceType, type TokenizerSpec } from '../load/tokenizer-spec.js'
import type { CommandSet } from './commands.js'
import { type CompileInput, type Control, NO_TEMPLATE, nativeControls } from './compile-input.js'
import { type ReservedToken, type ReservePolicy, reservedTokens } from './reserve-policy.js'

/**
 * What a SentencePiece model and its commands compile to.
 *
 * @param onlyCommands the commands of a model that has some, and their aliases, are all its names of control tokens
 */
export function sentencePieceInput(
  spec: TokenizerSpec,
  commands: CommandSet,
  policy: ReservePolicy,
  onlyCommands = true,
): CompileInput {
  const { pieces } = spec
  const reserved = reservedTokens(spec, commands.names, policy)
  const controls = controlTable(spec, reserved, onlyCommands ? commands : { names: [] })
  return {
    source: spec.source,
    model: spec.model,
    semantics: spec.semantics,
    reserved,
    vocabSize: pieces.types.length + commands.names.length,
    controls,
    template: spec.postProcessor ?? NO_TEMPLATE,
    native: {
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
