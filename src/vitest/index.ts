// `import 'safetokens/vitest'` adds the matchers to vitest's `expect`.
import { expect } from 'vitest'
import type { InjectionOptions } from '../audit/resist.js'
import type { EncodedChat } from '../chat/encoded-chat.js'
import {
  type ReferenceEncoder,
  toEncodeLikeReference,
  toHaveSameSkeletonAs,
  toResistInjection,
} from './matchers.js'

export { payloads } from '../audit/bank/payloads.js'
export { type Placement, placements } from '../audit/bank/placements.js'
export { WRITINGS } from '../audit/bank/writings.js'
export { type Breach, type InjectionOptions, type InjectionResult, tryInjection } from '../audit/resist.js'
export { hostileChat, hostileText } from './arbitraries.js'
export type { MatcherResult, ReferenceEncoder } from './matchers.js'

/** The matchers by name, for `expect.extend` of a test runner other than vitest. */
export const matchers: {
  readonly toHaveSameSkeletonAs: typeof toHaveSameSkeletonAs
  readonly toResistInjection: typeof toResistInjection
  readonly toEncodeLikeReference: typeof toEncodeLikeReference
} = { toHaveSameSkeletonAs, toResistInjection, toEncodeLikeReference }

expect.extend(matchers)

/** What importing this module adds to `expect`. */
export interface SafetokensMatchers<R = unknown> {
  /**
   * The prompt has the control ids of another one, in the same order.
   *
   * @example expect(chat.encode(hostile)).toHaveSameSkeletonAs(chat.encode(harmless))
   */
  toHaveSameSkeletonAs(other: EncodedChat): R
  /**
   * No text of the payload bank, in any place of a request, changes the control tokens of the chat's prompts; of a
   * tokenizer, none gives a reserved id. What a chat template decides by what data say is no failure.
   *
   * @example expect(chat).toResistInjection()
   */
  toResistInjection(options?: InjectionOptions): R
  /**
   * The tokenizer gives texts the ids of another implementation. Awaited, where that is asynchronous.
   *
   * @example await expect(tokenizer).toEncodeLikeReference((text) => reference.encode(text), texts)
   */
  toEncodeLikeReference(reference: ReferenceEncoder, texts?: readonly string[]): R
}

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: as vitest declares it
  interface Matchers<T = any> extends SafetokensMatchers<T> {}
}
