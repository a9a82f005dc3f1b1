import type { ChatMessage } from '../../chat/messages.js'
import type { EncodeChatOptions } from '../../chat/prompt-maker.js'
import { importJinja } from './packages.js'

/** A chat template on the usual path. */
export interface UsualChat {
  /**
   * The conversation as one string, or undefined where `@huggingface/jinja` fails: it knows less of Jinja than real
   * templates need.
   */
  render(messages: readonly ChatMessage[], options: EncodeChatOptions): string | undefined
}

/**
 * A model's template in `@huggingface/jinja`; undefined for a template that it cannot read, and for one that writes the
 * date, which would make a report differ from day to day.
 *
 * @throws SafetokensError with code `MISSING_PACKAGE` when `@huggingface/jinja` is not installed
 */
export async function usualChat(
  source: string,
  specialTokens: Readonly<Record<string, string>>,
): Promise<UsualChat | undefined> {
  const { Template } = await importJinja()
  if (source.includes('strftime_now')) return undefined
  let template: { render(context: Record<string, unknown>): string }
  try {
    template = new Template(source)
  } catch {
    return undefined
  }
  return {
    render(messages, { tools, documents, templateOptions, addGenerationPrompt = true }) {
      const context = {
        ...specialTokens,
        ...templateOptions,
        messages,
        add_generation_prompt: addGenerationPrompt,
      }
      const given = { ...(tools ? { tools } : {}), ...(documents ? { documents } : {}) }
      try {
        return template.render({ ...context, ...given })
      } catch {
        return undefined
      }
    },
  }
}
