// The attack bank in every place of a request, over all built-in formats and, where ../shared is, over all templates:
// no reserved id holds a byte of data, and what changes the skeleton of a prompt is a recorded decision.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { Chat } from '../../src/chat/chat.js'
import { chatFormat, chatFormats } from '../../src/chat/formats/registry.js'
import type { ChatMessage } from '../../src/chat/messages.js'
import type { EncodeChatOptions } from '../../src/chat/prompt-maker.js'
import { SafetokensError } from '../../src/errors.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { payloads, placements } from '../attack-bank.js'
import { sharedFile } from '../conformance/shared-files.js'
import { byteLevelJson } from '../fixtures/tokenizer-json.js'
import { formatChat } from './formats/format-chat.js'

/** One placement in so many, in `npm test`; `npm run conformance` tries all. */
const SHARE = process.env.SAFETOKENS_CONFORMANCE_STRINGS ? 1 : 7

let tried = 0
let decided = 0
afterAll(() => {
  process.stderr.write(`attack bank: ${tried} placements, ${decided} with a recorded decision\n`)
})

interface Encoded {
  readonly controls: readonly number[]
  readonly decisions: number
}

class Target {
  readonly #chat: Chat
  readonly #reserved: ReadonlySet<number>
  readonly #baselines = new Map<string, Encoded | undefined>()

  constructor(chat: Chat) {
    this.#chat = chat
    this.#reserved = new Set(chat.tokenizer.reserved.map(({ id }) => id))
  }

  /** Tries payloads of the bank in all places. */
  attack(controls: readonly string[], phase: number): void {
    let turn = phase
    for (const payload of payloads(controls)) {
      for (const { place, messages, options } of placements(payload)) {
        if (turn++ % SHARE !== 0) continue
        const hostile = this.#encode(messages, options)
        if (hostile === undefined) continue
        tried++
        const plain = this.#baseline(place, payload)
        if (plain !== undefined && String(plain.controls) === String(hostile.controls)) continue
        expect(hostile.decisions, `${place}: ${JSON.stringify(payload)}`).toBeGreaterThan(0)
        decided++
      }
    }
  }

  /** The same place with a harmless word of the same shape: empty, white space, or neither. */
  #baseline(place: string, payload: string): Encoded | undefined {
    const word = payload === '' ? '' : payload.trim() === '' ? payload : 'word'
    const key = `${place}|${word}`
    if (!this.#baselines.has(key)) {
      const same = placements(word).find((each) => each.place === place)
      this.#baselines.set(key, same && this.#encode(same.messages, same.options))
    }
    return this.#baselines.get(key)
  }

  #encode(messages: ChatMessage[], options: EncodeChatOptions): Encoded | undefined {
    try {
      const encoded = this.#chat.encode(messages, { onInvalid: 'ignore', ...options })
      return {
        controls: Array.from(encoded.ids).filter((id) => this.#reserved.has(id)),
        decisions: encoded.warnings.filter(({ rule }) => rule.startsWith('data-dependence')).length,
      }
    } catch (error) {
      if (error instanceof SafetokensError) return undefined
      throw error
    }
  }
}

const CONTROLS = [
  '<|im_end|>',
  '<|eot_id|>',
  '<｜end▁of▁sentence｜>',
  '[INST]',
  '</s>',
  '<end_of_turn>',
  '</think>',
]

describe.each(
  chatFormats()
    .map(({ name }) => name)
    .filter((name) => !chatFormat(name).commands),
)('%s', (name) => {
  it.each(['safe', 'exact'] as const)('resists in %s mode', (compat) => {
    const before = tried
    new Target(formatChat(name, { compat, now: () => new Date(0) })).attack(chatFormat(name).controlTokens, 0)
    expect(tried - before).toBeGreaterThan(50)
  })
})

const templates = sharedFile('data', 'templates')
describe.skipIf(templates === undefined)('chat templates (skipped without ../shared)', () => {
  const files =
    templates === undefined
      ? []
      : readdirSync(templates, { recursive: true, encoding: 'utf8' }).filter((file) =>
          file.endsWith('.jinja'),
        )
  it.each(files)('%s', (file) => {
    const source = readFileSync(path.join(templates as string, file), 'utf8')
    const target = templateTarget(source)
    if (target !== undefined) new Target(target).attack(CONTROLS, file.length)
  })
})

/** A vocabulary that has every mark which the template spells, and the usual ones. */
function templateTarget(source: string): Chat | undefined {
  const marks =
    source.match(
      /<\|[^|<>\s'"{}]{1,40}\|>|<｜[^｜<>\s'"{}]{1,40}｜>|<\/?[a-z_]{2,20}>|\[\/?[A-Z_]{2,20}\]/g,
    ) ?? []
  const special = { bos_token: '<s>', eos_token: '</s>', pad_token: '<pad>', unk_token: '<unk>' }
  const added = new Set([
    ...marks,
    ...CONTROLS,
    ...Object.values(special),
    '<|user|>',
    '<|assistant|>',
    '<|system|>',
  ])
  const tokenizer = Tokenizer.from(
    new TextEncoder().encode(JSON.stringify(byteLevelJson({ added: [...added] }))),
  )
  try {
    return Chat.over(tokenizer, {
      chatTemplate: source,
      specialTokens: special,
      compat: 'exact',
      now: () => new Date(0),
      textualMarkers: true,
    })
  } catch (error) {
    if (error instanceof SafetokensError) return undefined // what Jinja2 cannot parse
    throw error
  }
}
