/**
 * A pattern with classes of Unicode that is made when it is first asked for. V8 reads such classes of a literal when it reads
 * the file, a quarter of a millisecond for each pattern, whether it is ever used or not.
 */
export function unicodePattern(source: string, flags = 'u'): () => RegExp {
  let pattern: RegExp | undefined
  return () => {
    pattern ??= new RegExp(source, flags)
    return pattern
  }
}
