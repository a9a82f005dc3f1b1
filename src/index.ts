export type { ChatCount, MessageCount, SourceCounts, TokenSource } from './budget/chat-count.js'
export type { ChatSession, SessionOptions, SessionStats, SessionUpdate } from './budget/chat-session.js'
export { type EstimateOptions, estimateTokens } from './budget/estimate-tokens.js'
export type {
  FitOptions,
  FitStrategy,
  FittedChat,
  Summarise,
  TruncatedText,
  TruncateRule,
} from './budget/fit-options.js'
export type { LangChainMessage } from './budget/token-counter.js'
export { openAIUsage, type TokenAmount, type Usage, type UsageDetails } from './budget/usage.js'
export type { BatchInput, ModelInput, PaddingOptions, TruncationOptions } from './chat/batch.js'
export { Chat, type EncodeTextOptions } from './chat/chat.js'
export type { ChatOptions } from './chat/chat-options.js'
export type { EncodedChat, Neutralised } from './chat/encoded-chat.js'
export type { ChatFormat, ChatRequest, Guarantee, ToolProtocolName } from './chat/formats/format.js'
export {
  type BuiltInFormatName,
  chatFormat,
  chatFormats,
  registerChatFormat,
} from './chat/formats/registry.js'
export type { ChatMessage, Compat, ContentPart, MessageContent, Violation } from './chat/messages.js'
export type { ChatWarning, ConversationOptions, EncodeChatOptions } from './chat/prompt-maker.js'
export type { PromptWriter } from './chat/prompt-writer.js'
export { type JsonText, jsonText } from './chat/python-json.js'
export type { TokenSpan } from './chat/token-spans.js'
export type { ToolCall } from './chat/tool-calls.js'
export { parseTranscript, type TranscriptFormat } from './chat/transcript.js'
export {
  connectEngine,
  type ServerEngineName,
  type ServerEngineOptions,
} from './engine/detect.js'
export type { EndReason, Engine, GenerateRequest, GenerationEnd, Sampling } from './engine/engine.js'
export {
  generateReply,
  type ReplyEvent,
  type ReplyOptions,
  type ReplyUsage,
} from './engine/generate-reply.js'
export { type LlamaCppOptions, llamaCppEngine } from './engine/llama-cpp.js'
export { type LlamaSequence, type NodeLlamaCppOptions, nodeLlamaCppEngine } from './engine/node-llama-cpp.js'
export type { ServerOptions } from './engine/server-connection.js'
export { sglangEngine } from './engine/sglang.js'
export { type VllmOptions, vllmEngine } from './engine/vllm.js'
export {
  BudgetError,
  CertificateError,
  ChatFormatError,
  DisposedError,
  EngineError,
  type EngineErrorKind,
  InvalidArgumentError,
  InvalidMessageError,
  InvalidTokenIdError,
  ModelNotFoundError,
  SafetokensError,
  TemplateError,
  TokenizerFileError,
  ToolCallParseError,
  UnknownControlTokenError,
  UnsupportedTokenizerError,
} from './errors.js'
export type { EncodingName, RankEncoding } from './load/encodings.js'
export type { EosToken } from './load/eos-tokens.js'
export type { LoadWarning, NamedToken } from './load/load-warning.js'
export { type ProcessedResponse, postprocessText, processResponse } from './output/process-response.js'
export { TOOL_PROTOCOLS } from './output/protocols/registry.js'
export { type PythonCall, pythonCall, pythonLiteral } from './output/python-literal.js'
export type {
  FinishReason,
  MalformedToolCall,
  ParsedToolCall,
  ParseOptions,
  ReplyContext,
  ReplyDelta,
  ReplyReader,
  ReplySource,
  ToolProtocol,
  ToolShapes,
  Turn,
  TurnSink,
  UnexpectedToken,
  ValidToolCall,
} from './output/types.js'
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
export type { AsyncBatchOptions, AsyncOptions } from './tokenizer/async-rows.js'
export { CHATGLM3_COMMANDS, type CommandSet } from './tokenizer/commands.js'
export { type CompileOptions, compileModel } from './tokenizer/compile-model.js'
export type { DecodeSource, DecodeStream } from './tokenizer/decode-stream.js'
export { type Encoding, NO_SEQUENCE } from './tokenizer/encoding.js'
export type { EncodedBatch, Padding } from './tokenizer/padding.js'
export type { ReservedToken, ReservePolicy, ReserveReason } from './tokenizer/reserve-policy.js'
export type { SentencePieceVersion } from './tokenizer/sentencepiece-input.js'
export type { DecodedPart, FoundToken } from './tokenizer/token-parts.js'
export {
  type DecodeOptions,
  type EncodeBatchOptions,
  type EncodeOptions,
  type MemoStatistics,
  type TokenIds,
  Tokenizer,
  type TokenizerOptions,
} from './tokenizer/tokenizer.js'
export type { TextTruncation } from './tokenizer/truncate-text.js'
export type { Truncation } from './tokenizer/truncation.js'
export {
  type CodeExecutor,
  codeInterpreter,
  type ExecutionResult,
  IMAGE_MARK,
  observation,
  type UploadedFile,
  withUploadedFiles,
} from './tools/code-interpreter.js'
export { defineTool, type JsonSchemaDefinition, type StandardDefinition } from './tools/define-tool.js'
export { flattenSchema } from './tools/flatten-schema.js'
export {
  type OpenAIMessage,
  type OpenAIToolCall,
  openAIMessage,
  openAIToolCall,
  parsedToolCall,
  toolMessages,
  toolsFromOpenAI,
} from './tools/openai.js'
export { type RegistryOptions, toolRegistry } from './tools/registry.js'
export {
  type LoopEndReason,
  type RunToolsOptions,
  runTools,
  type ToolLoopEnd,
  type ToolLoopEvent,
} from './tools/run-tools.js'
export { TRUNCATION, truncateResult } from './tools/truncate-result.js'
export type {
  ArgumentCheck,
  ArgumentIssue,
  DispatchOptions,
  JsonSchema,
  OpenAITool,
  ResultLimit,
  StandardIssue,
  StandardResult,
  StandardSchema,
  Tool,
  ToolContext,
  ToolFailure,
  ToolRegistry,
  ToolResult,
} from './tools/types.js'
