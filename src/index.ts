export type { BatchInput, ModelInput, PaddingOptions, TruncationOptions } from './chat/batch.js'
export {
  Chat,
  type ChatFormatName,
  type ChatOptions,
  type ConversationOptions,
  type EncodeChatOptions,
  type EncodedChat,
  type EncodeTextOptions,
} from './chat/chat.js'
export type { Guarantee } from './chat/formats/format.js'
export type { ChatMessage, Compat, ContentPart, MessageContent, Violation } from './chat/messages.js'
export { type JsonText, jsonText } from './chat/python-json.js'
export {
  CertificateError,
  ChatFormatError,
  DisposedError,
  InvalidArgumentError,
  InvalidMessageError,
  InvalidTokenIdError,
  ModelNotFoundError,
  SafetokensError,
  TokenizerFileError,
  UnknownControlTokenError,
  UnsupportedTokenizerError,
} from './errors.js'
export type { EncodingName, RankEncoding } from './load/encodings.js'
export {
  type ControlToken,
  control,
  cut,
  type EncodeInput,
  type Part,
  type TrustedText,
  trusted,
} from './prompt/parts.js'
export type { PromptValue } from './prompt/tagged-template.js'
export { CHATGLM3_COMMANDS, type CommandSet } from './tokenizer/commands.js'
export type { DecodeSource, DecodeStream } from './tokenizer/decode-stream.js'
export type { ReservedToken, ReservePolicy, ReserveReason } from './tokenizer/reserve-policy.js'
export type { SentencePieceVersion } from './tokenizer/sentencepiece-input.js'
export {
  type DecodedPart,
  type DecodeOptions,
  type EncodeOptions,
  type TokenIds,
  Tokenizer,
  type TokenizerOptions,
} from './tokenizer/tokenizer.js'
