/** No error message of a server is longer than this, in characters. */
const MAX_LENGTH = 2000

/**
 * The words of an error that a server answers with: `{"error": {"message"}}` (vLLM, SGLang, llama.cpp), `{"message"}`
 * (older vLLM), `{"detail"}` (FastAPI, which checks requests for the first two), or text.
 */
export function serverMessage(body: string): string | undefined {
  const text = body.trim()
  let words: string | undefined
  try {
    words = wordsOf(JSON.parse(text))
  } catch {
    // Not JSON: a proxy's own page, for example.
  }
  words ??= text
  if (words === '') return undefined
  return words.length > MAX_LENGTH ? `${words.slice(0, MAX_LENGTH)}…` : words
}

/** The words of an error in an answer that is JSON; undefined where it holds none. */
export function wordsOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return undefined
  const { error, message, detail, msg } = value as Record<string, unknown>
  if (Array.isArray(detail)) return detail.map(wordsOf).join('; ')
  return wordsOf(error ?? message ?? detail ?? msg)
}

/** The error that an event of a stream reports instead of ids: the words of it, or undefined. */
export function eventError(event: Readonly<Record<string, unknown>>): string | undefined {
  const { error, object } = event
  if (error !== undefined && error !== null) return wordsOf(error) ?? JSON.stringify(error)
  return object === 'error' ? (wordsOf(event) ?? 'an error without words') : undefined
}
