import type { FitOptions } from '../budget/fit-options.js'
import type { EncodeChatOptions } from '../chat/prompt-maker.js'
import { type ChatLoading, chatLineAnswer } from './chat.js'
import { countLineAnswer } from './chat-tokens.js'
import { countText } from './count.js'
import { decodeLineAnswer } from './decode.js'
import { encodeText } from './encode.js'
import { fitLineAnswer } from './fit.js'
import type { LineAnswer } from './json-lines.js'
import { textLineAnswer } from './text-command.js'

/** What a command does to each line of its input: plain data, so that a worker thread can be told. */
export type LineJob =
  | { readonly command: 'encode' | 'count'; readonly model: string }
  | { readonly command: 'decode'; readonly model: string; readonly skipSpecialTokens: boolean }
  | {
      readonly command: 'chat'
      readonly model: string
      readonly load: ChatLoading
      readonly options: EncodeChatOptions
    }
  | { readonly command: 'count --chat'; readonly model: string; readonly format: string | undefined }
  | {
      readonly command: 'fit'
      readonly model: string
      readonly format: string | undefined
      readonly options: FitOptions
    }

/** Loads the model of a job. Threads of a process share its tables. */
export function lineAnswer(job: LineJob): Promise<LineAnswer> {
  switch (job.command) {
    case 'encode':
      return textLineAnswer(encodeText, job.model)
    case 'count':
      return textLineAnswer(countText, job.model)
    case 'decode':
      return decodeLineAnswer(job.model, job.skipSpecialTokens)
    case 'chat':
      return chatLineAnswer(job.model, job.load, job.options)
    case 'count --chat':
      return countLineAnswer(job.model, job.format)
    case 'fit':
      return fitLineAnswer(job.model, job.format, job.options)
  }
}
