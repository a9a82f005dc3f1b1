import type { ChatWarning } from '../chat/prompt-maker.js'
import { type Prompt, promptText, sourcePath } from '../chat/prompt-writer.js'
import { SafetokensError } from '../errors.js'
import { PartKind } from '../prompt/parts.js'
import type { Placement } from './bank/placements.js'
import type { AuditTarget } from './target.js'

/** A reserved id in a prompt. */
export interface PlacedId {
  readonly id: number
  /** Index among the ids. */
  readonly index: number
  /** A byte of data is part of what it stands for, or data alone: it should not be there. */
  readonly ofData: boolean
  /** Where its text begins, in UTF-16 units of `prompt.text`; where it stands, if it was placed by name. */
  readonly begin: number
}

/** A conversation through our way and through the usual one. */
export interface Probe {
  readonly prompt: Prompt
  readonly warnings: readonly ChatWarning[]
  readonly ids: Uint32Array
  readonly controls: readonly PlacedId[]
  /** The prompt as one string, as the usual path has it. */
  readonly text: string
  /** Ids of that string. */
  readonly usualIds: ArrayLike<number>
  /** `differs`: the template engine of the usual path writes another string, which `text` is not. */
  readonly usualText: 'equal' | 'differs' | 'not rendered'
}

/** A placement that the format or the template does not take. */
export interface Refusal {
  readonly refused: string
}

/** Encodes conversations for an audit of a model with a chat. */
export class Prober {
  readonly #target: AuditTarget
  readonly #chat: NonNullable<AuditTarget['chat']>

  constructor(target: AuditTarget, chat: NonNullable<AuditTarget['chat']>) {
    this.#target = target
    this.#chat = chat
  }

  /** @throws what is no SafetokensError: only those are refusals */
  probe({ messages, options }: Placement): Probe | Refusal {
    const { encoder, tokenizer, usual, usualChat } = this.#target
    try {
      const { prompt, warnings } = this.#chat.prompts.prompt(messages, { onInvalid: 'ignore', ...options })
      const ids = encoder.encodePrompt(prompt)
      const text = promptText(prompt, (id) => tokenizer.controlName(id))
      const usualText = usualChat?.render(messages, options)
      return {
        prompt,
        warnings,
        ids,
        controls: this.#controls(prompt, ids),
        text,
        usualIds: usual.encode(text),
        usualText: usualText === undefined ? 'not rendered' : usualText === text ? 'equal' : 'differs',
      }
    } catch (error) {
      if (error instanceof SafetokensError) return { refused: error.code }
      throw error
    }
  }

  #controls(prompt: Prompt, ids: Uint32Array): PlacedId[] {
    const { encoder, tokenizer } = this.#target
    const found: PlacedId[] = []
    let offsets: Uint32Array | undefined
    let data: readonly DataRun[] | undefined
    ids.forEach((id, index) => {
      if (!tokenizer.isReserved(id)) return
      offsets ??= encoder.promptOffsets(prompt)
      data ??= dataRuns(prompt)
      const begin = offsets[2 * index] as number
      const end = offsets[2 * index + 1] as number
      // White space that a token absorbs is data's too, but a token never begins with a letter of data.
      found.push({ id, index, begin, ofData: data.some((run) => touches(run, begin, end, prompt.text)) })
    })
    return found
  }
}

/** Text of the request in a prompt. */
export interface DataRun {
  readonly begin: number
  readonly end: number
  readonly path: string
}

/** The data of a prompt, in order, empty ones too. */
export function dataRuns({ parts, sources }: Prompt): DataRun[] {
  const runs: DataRun[] = []
  let at = 0
  sources.forEach((source, i) => {
    const kind = parts[2 * i]
    if (kind !== PartKind.trusted && kind !== PartKind.data) return
    const end = at + (parts[2 * i + 1] as number)
    if (kind === PartKind.data) runs.push({ begin: at, end, path: sourcePath(source) ?? '' })
    at = end
  })
  return runs
}

/** Whether a range holds something of a run that is no white space. */
function touches(run: DataRun, begin: number, end: number, text: string): boolean {
  const from = Math.max(run.begin, begin)
  const to = Math.min(run.end, end)
  return from < to && text.slice(from, to).trim() !== ''
}
