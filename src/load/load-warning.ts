/**
 * Something that a user of a model should know, though the model works. `code` and the other fields are for programs,
 * `message` is for people and may be reworded.
 */
export type LoadWarning = {
  /** What was found and what it means, in sentences. */
  readonly message: string
} & (
  | {
      /**
       * An added token that is ordinary text overlaps a reserved one, and the reference finds the text token where both
       * fit. In a prompt that holds data the reserved one is found.
       */
      readonly code: 'RESERVED_TEXT_OVERLAP'
      readonly reserved: NamedToken
      readonly text: NamedToken
    }
  | {
      /** More overlaps than are listed one by one. */
      readonly code: 'MORE_OVERLAPS'
      readonly count: number
    }
  | {
      /** unk is no reserved id: the model has no other way to write some characters. */
      readonly code: 'UNK_NOT_RESERVED'
      readonly token: NamedToken
    }
  | {
      /** A special token is text, as a pad token "!": the model has no other way to write it. */
      readonly code: 'SPECIAL_NOT_RESERVED'
      readonly token: NamedToken
    }
  | {
      /** Two files have different chat templates of one name, or a chat template is not used at all. */
      readonly code: 'CHAT_TEMPLATES_DIFFER'
      readonly name: string
      /** The file whose template is used; undefined where none of this name is. */
      readonly used: string | undefined
      readonly unused: string
    }
  | {
      /** A config gives an added token another id than the tokenizer does, whose id counts. */
      readonly code: 'ADDED_TOKEN_ID'
      readonly token: NamedToken
      /** The id that the config gives. */
      readonly configId: number
    }
  | {
      /** The tokenizer does not have a token that a config adds or names. */
      readonly code: 'ADDED_TOKEN_MISSING'
      readonly name: string
    }
  | {
      /** A token's flags lstrip, rstrip and single_word mean nothing in a SentencePiece model. */
      readonly code: 'ADDED_TOKEN_FLAGS'
      readonly token: NamedToken
    }
  | {
      /** `special_tokens_map.json` names another token than `tokenizer_config.json`. */
      readonly code: 'SPECIAL_TOKENS_DIFFER'
      /** For example `eos_token`. */
      readonly name: string
      readonly used: string
      readonly unused: string
    }
  | {
      /** A Mistral tokenizer.json whose pattern is known to give other ids than the model was trained with. */
      readonly code: 'MISTRAL_PATTERN'
    }
  | {
      /** The folder's tokenizer is a Python class of its own, which may treat text as no file tells. */
      readonly code: 'CUSTOM_CODE'
      /** Its name, for example `tokenization_kimi.TikTokenTokenizer`. */
      readonly name: string
    }
)

export interface NamedToken {
  readonly id: number
  readonly name: string
}
