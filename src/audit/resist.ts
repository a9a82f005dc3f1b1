import type { Chat } from '../chat/chat.js'
import type { EncodedChat } from '../chat/encoded-chat.js'
import { SafetokensError } from '../errors.js'
import type { Tokenizer } from '../tokenizer/tokenizer.js'
import { payloads } from './bank/payloads.js'
import { type Placement, placements } from './bank/placements.js'

export interface InjectionOptions {
  /** Texts to try. Default: those that `payloads` makes of the control tokens. */
  readonly payloads?: readonly string[] | undefined
  /** Names of control tokens that payloads are made of. Default: the first 8 that the chat writes, or that are reserved. */
  readonly controls?: readonly string[] | undefined
  /** Where to put a payload. Default: every place of a request that `placements` knows. */
  readonly placements?: ((payload: string) => readonly Placement[]) | undefined
}

/** A text that changed the control tokens of a prompt. */
export interface Breach {
  readonly place: string
  readonly payload: string
  /** Names of the control tokens with a harmless word in that place, and with the payload. */
  readonly expected: readonly string[]
  readonly received: readonly string[]
}

export interface InjectionResult {
  /** How many conversations or texts were encoded. */
  readonly tried: number
  /** How many a format or template did not take. */
  readonly refused: number
  readonly breaches: readonly Breach[]
}

const CONTROLS = 8

/**
 * Tries to change the control tokens of a chat's prompts, or to get a reserved id out of a tokenizer. What a chat
 * template decides by what data say is no breach where it is recorded in the warnings.
 *
 * @throws what is no SafetokensError
 * @example tryInjection(chat).breaches // []
 */
export function tryInjection(subject: Chat | Tokenizer, options: InjectionOptions = {}): InjectionResult {
  // By shape: a test may import the classes from the CommonJS build.
  return 'tokenizer' in subject ? tryChat(subject, options) : tryTokenizer(subject, options)
}

function tryTokenizer(tokenizer: Tokenizer, options: InjectionOptions): InjectionResult {
  const names = tokenizer.reserved.map(({ name }) => name)
  const texts = options.payloads ?? payloads(options.controls ?? names.slice(0, CONTROLS))
  const breaches = texts.flatMap((payload): Breach[] => {
    const received = namesOf(tokenizer, tokenizer.encode(payload))
    return received.length === 0 ? [] : [{ place: 'text', payload, expected: [], received }]
  })
  return { tried: texts.length, refused: 0, breaches }
}

function tryChat(chat: Chat, options: InjectionOptions): InjectionResult {
  const places = options.placements ?? placements
  const encode = ({ messages, options }: Placement): EncodedChat | undefined => {
    try {
      return chat.encode(messages, { onInvalid: 'ignore', ...options })
    } catch (error) {
      if (error instanceof SafetokensError) return undefined
      throw error
    }
  }
  const skeletons = new Map<string, readonly string[] | undefined>()
  /** With a harmless word of the same shape: empty, white space, or neither. */
  const skeleton = (place: string, payload: string): readonly string[] | undefined => {
    const word = payload === '' ? '' : payload.trim() === '' ? payload : 'word'
    const key = `${place}\0${word}`
    if (!skeletons.has(key)) {
      const same = places(word).find((each) => each.place === place)
      const encoded = same && encode(same)
      skeletons.set(key, encoded && namesOf(chat.tokenizer, encoded.ids))
    }
    return skeletons.get(key)
  }
  const controls = options.controls ?? writtenBy(chat, places('word').map(encode))
  const breaches: Breach[] = []
  let tried = 0
  let refused = 0
  for (const payload of options.payloads ?? payloads(controls)) {
    for (const placement of places(payload)) {
      const encoded = encode(placement)
      const expected = skeleton(placement.place, payload)
      if (encoded === undefined || expected === undefined) {
        refused++
        continue
      }
      tried++
      const received = namesOf(chat.tokenizer, encoded.ids)
      if (String(received) === String(expected)) continue
      if (encoded.warnings.some(({ rule }) => rule.startsWith('data-dependence'))) continue
      breaches.push({ place: placement.place, payload, expected, received })
    }
  }
  return { tried, refused, breaches }
}

function writtenBy({ tokenizer }: Chat, prompts: readonly (EncodedChat | undefined)[]): string[] {
  const names = prompts.flatMap((encoded) => (encoded ? namesOf(tokenizer, encoded.ids) : []))
  return [...new Set(names)].slice(0, CONTROLS)
}

function namesOf(tokenizer: Tokenizer, ids: Uint32Array): string[] {
  return Array.from(ids).flatMap((id) => (tokenizer.isReserved(id) ? [tokenizer.controlName(id)] : []))
}
