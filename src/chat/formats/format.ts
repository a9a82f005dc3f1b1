import type { EncodeInput, Part } from '../../prompt/parts.js'
import type { CommandSet } from '../../tokenizer/commands.js'
import type { CheckedMessage, OptionalField, Violation } from '../messages.js'

/**
 * What encoding promises for a format: `reserved-ids` when every role marker is a reserved id, which no text can
 * produce; `textual` when turns are divided by ordinary text, which content can imitate.
 */
export type Guarantee = 'reserved-ids' | 'textual'

/** A chat format: its control tokens, its roles, its rules, and how messages become parts. */
export interface ChatFormat {
  readonly name: string
  readonly guarantee: Guarantee
  /** Control tokens that the format expects behind the text vocabulary. */
  readonly commands: CommandSet
  /** The closed set of roles. It never comes from a vocabulary. */
  readonly roles: readonly string[]
  /** The fields of a message beyond role and content that the format writes out. */
  readonly fields: readonly OptionalField[]
  /** Names of the control tokens at which generation ends. */
  readonly stopTokens: readonly string[]
  /** Name of the token that fills short rows of a batch. */
  readonly padToken: string
  /** Whether the reference's decode shows commands by name. */
  readonly decodesCommands: boolean
  /** Roles whose neighbouring turns `mergeConsecutive` joins. */
  readonly mergeableRoles: readonly string[]

  /** The parts of a conversation. Their list depends on the messages' shape alone, never on their text. */
  conversation(messages: readonly CheckedMessage[], addGenerationPrompt: boolean): Part[]
  /** The parts of one text, or of a pair, outside a conversation. */
  text(text: EncodeInput, pair?: EncodeInput): Part[]
  /** Turns that stand where the format does not expect them. */
  orderViolations(messages: readonly { readonly role: string }[]): Violation[]
}
