import { type HuggingFaceTokenizer, importTokenizers } from '../audit/usual-path/packages.js'
import { sentencePieceJson } from '../audit/usual-path/sentencepiece-json.js'
import { pythonJsonDumps } from '../chat/python-json.js'
import type { TokenizerSpec } from '../load/tokenizer-spec.js'

/** The fields of a message that ChatGLM3's template reads. */
export interface UsualMessage {
  readonly role: string
  readonly content: string
  readonly metadata?: string | undefined
  readonly tools?: unknown
}

/** A stretch of the rendered prompt. The tokenizer never sees where one ends: that is the hole. */
export interface RenderedPart {
  readonly text: string
  readonly fromTemplate: boolean
}

/**
 * What most stacks do today, for comparison only: a chat template writes the conversation as one string, and a
 * tokenizer that finds special tokens in text turns it into ids. It really runs, on Hugging Face's tokenizer.
 */
export class UsualPath {
  readonly #tokenizer: HuggingFaceTokenizer

  private constructor(tokenizer: HuggingFaceTokenizer) {
    this.#tokenizer = tokenizer
  }

  /**
   * @param commandNames the tokens behind the vocabulary, in order of id
   * @throws SafetokensError with code `MISSING_PACKAGE` when `@huggingface/tokenizers` is not installed
   */
  static async load(spec: TokenizerSpec, commandNames: readonly string[]): Promise<UsualPath> {
    const { Tokenizer } = await importTokenizers()
    return new UsualPath(new Tokenizer(sentencePieceJson(spec, commandNames), {}))
  }

  /** The conversation as one string, ending with the generation prompt. */
  render(messages: readonly UsualMessage[]): string {
    return this.renderParts(messages)
      .map((part) => part.text)
      .join('')
  }

  /**
   * As {@link render}, in pieces that say what the template wrote. This is the published `chat_template` of
   * THUDM/chatglm3-6b (note its space after the newline: it makes up for the dummy prefix of a second call).
   * That template ignores tools and metadata, so both are written as `build_chat_input` does.
   */
  renderParts(messages: readonly UsualMessage[]): RenderedPart[] {
    const parts: RenderedPart[] = [template('[gMASK]sop')]
    for (const { role, content, metadata = '', tools } of messages) {
      parts.push(template(`<|${role}|>`), data(metadata), template('\n '), data(content))
      if (role === 'system' && tools !== undefined) {
        parts.push(template('\n'), data(pythonJsonDumps(tools, { indent: 4 })))
      }
    }
    return [...parts, template('<|assistant|>')]
  }

  /** Ids of a rendered conversation, special tokens parsed from the text. */
  encode(rendered: string): number[] {
    return this.#tokenizer.encode(rendered, { add_special_tokens: false }).ids
  }
}

const template = (text: string): RenderedPart => ({ text, fromTemplate: true })
const data = (text: string): RenderedPart => ({ text, fromTemplate: false })
