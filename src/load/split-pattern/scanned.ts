// Patterns that the native core knows by heart: native/core/scanners/word_scanner.hpp has the same numbers.

const GPT2 = String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
const SPACES = [String.raw`\s*[\r\n]+`, String.raw`\s+(?!\S)`, String.raw`\s+`]
const CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"

const cl100k = (numbers: string) =>
  [
    CONTRACTIONS,
    String.raw`[^\r\n\p{L}\p{N}]?\p{L}+`,
    numbers,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n]*`,
    ...SPACES,
  ].join('|')

const o200k = (contractions: string, numbers: string) =>
  [
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+${contractions}`,
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*${contractions}`,
    numbers,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
    ...SPACES,
  ].join('|')

/** Their numbers. Both engines, Oniguruma and Rust's, understand these the same. */
export const SCANNED: ReadonlyMap<string, number> = new Map([
  [GPT2, 1],
  [cl100k(String.raw`\p{N}{1,3}`), 2],
  [cl100k(String.raw`\p{N}`), 3],
  [o200k(`${CONTRACTIONS}?`, String.raw`\p{N}{1,3}`), 4],
  [o200k('', String.raw`\p{N}`), 5],
  [String.raw`\p{N}{1,3}`, 6],
  ['[一-龥\u3040-ゟ゠-ヿ]+', 7],
  [
    [
      String.raw`[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_${'`'}{|}~][A-Za-z]+`,
      '[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+',
      ' ?[\\p{P}\\p{S}]+[\r\n]*',
      ...['\\s*[\r\n]+', ...SPACES.slice(1)],
    ].join('|'),
    8,
  ],
])

/** The number of a pattern that has a scanner of its own; 0 for any other. */
export function scannedPattern(source: string): number {
  return SCANNED.get(source) ?? 0
}
