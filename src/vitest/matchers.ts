import { type InjectionOptions, tryInjection } from '../audit/resist.js'
import type { Chat } from '../chat/chat.js'
import type { EncodedChat } from '../chat/encoded-chat.js'
import { InvalidArgumentError } from '../errors.js'
import type { Tokenizer } from '../tokenizer/tokenizer.js'

/** What a matcher of vitest or jest gives. */
export interface MatcherResult {
  readonly pass: boolean
  readonly message: () => string
  readonly actual?: unknown
  readonly expected?: unknown
}

/** Ids of a text by another implementation: the file's reference, a server, a golden file. */
export type ReferenceEncoder = (text: string) => ArrayLike<number> | Promise<ArrayLike<number>>

/** More breaches are counted. */
const MOST = 5

/** The control tokens of two prompts are the same, whatever their texts say. */
export function toHaveSameSkeletonAs(received: unknown, other: unknown): MatcherResult {
  const actual = skeleton(received)
  const expected = skeleton(other)
  const pass = String(actual) === String(expected)
  return {
    pass,
    actual,
    expected,
    message: () =>
      pass
        ? `expected the control ids of the prompts to differ, but both are ${shown(actual)}`
        : `expected the control ids ${shown(expected)}, but came ${shown(actual)}`,
  }
}

/** No text of the payload bank changes the control tokens of a chat's prompts, or reaches a reserved id of a tokenizer. */
export function toResistInjection(received: unknown, options: InjectionOptions = {}): MatcherResult {
  if (!isTokenizer(received) && !isChat(received)) {
    throw new InvalidArgumentError('toResistInjection: a Chat or a Tokenizer was expected')
  }
  const { tried, refused, breaches } = tryInjection(received, options)
  const pass = breaches.length === 0 && tried > 0
  const list = breaches.slice(0, MOST).map(({ place, payload, expected, received }) => {
    return `  ${place}: ${JSON.stringify(payload)} gave ${shown(received)} in place of ${shown(expected)}`
  })
  const more = breaches.length > MOST ? [`  and ${breaches.length - MOST} more`] : []
  return {
    pass,
    message: () => {
      if (tried === 0) return `expected payloads to be tried, but all ${refused} conversations were refused`
      if (pass)
        return `expected some of ${tried} hostile conversations to change control tokens, but none did`
      const head = `${breaches.length} of ${tried} hostile conversations changed control tokens:`
      return [head, ...list, ...more].join('\n')
    },
  }
}

/** A tokenizer gives texts the ids that another implementation gives them. The result is a promise if its is one. */
export function toEncodeLikeReference(
  received: unknown,
  reference: ReferenceEncoder,
  texts: readonly string[] = TEXTS,
): MatcherResult | Promise<MatcherResult> {
  if (!isTokenizer(received)) {
    throw new InvalidArgumentError('toEncodeLikeReference: a Tokenizer was expected')
  }
  const theirs = texts.map((text) => reference(text))
  const compare = (lists: readonly ArrayLike<number>[]): MatcherResult => {
    const different = texts.findIndex((text, i) => {
      return String([...received.encode(text)]) !== String(Array.from(lists[i] ?? []))
    })
    const pass = different < 0
    const text = texts[different] ?? ''
    return {
      pass,
      ...(pass ? {} : { actual: [...received.encode(text)], expected: Array.from(lists[different] ?? []) }),
      message: () =>
        pass
          ? `expected one of ${texts.length} texts to have other ids than the reference gives, but none has`
          : `expected ${JSON.stringify(text)} to have the ids that the reference gives`,
    }
  }
  const isAsync = theirs.some((list) => 'then' in list)
  return isAsync ? Promise.all(theirs).then(compare) : compare(theirs as ArrayLike<number>[])
}

/** Texts that spell no control token. */
const TEXTS: readonly string[] = [
  '',
  'Hello, world!',
  ' leading, trailing and  double spaces ',
  'What is the weather in 北京 today?\n',
  '今天天气怎么样？',
  'naïve café — “quoted” …',
  '😀👩‍👩‍👧🇩🇪',
  'def f(x):\n\treturn x ** 2\r\n',
  '0 1 23 456 7,890 0.5e-7',
  "I'll say they're it's DON'T",
]

function skeleton(prompt: unknown): number[] {
  if (!isPrompt(prompt)) {
    throw new InvalidArgumentError('toHaveSameSkeletonAs: what chat.encode() gives was expected')
  }
  return prompt.spans
    .filter(({ kind }) => kind === 'control')
    .flatMap(({ start, end }) => [...prompt.ids.subarray(start, end)])
}

// By shape: a test may import the classes from the CommonJS build.
const isTokenizer = (value: unknown): value is Tokenizer => has(value, ['encode', 'reserved'])
const isChat = (value: unknown): value is Chat => has(value, ['encode', 'tokenizer'])
const isPrompt = (value: unknown): value is EncodedChat => has(value, ['ids', 'spans'])

function has(value: unknown, names: readonly string[]): boolean {
  return typeof value === 'object' && value !== null && names.every((name) => name in value)
}

function shown(list: readonly unknown[]): string {
  return list.length === 0 ? 'none' : list.join(' ')
}
