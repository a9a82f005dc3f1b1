/** A reserved token that a text spells. */
export interface FoundToken {
  readonly token: string
  readonly id: number
  /** In UTF-16 units. */
  readonly offset: number
}

/** A run of text, or one reserved id. */
export type DecodedPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'control'; readonly id: number; readonly name: string }
