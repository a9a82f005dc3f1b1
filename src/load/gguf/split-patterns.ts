// The regular expressions of the tokenizer.json files behind the names of `tokenizer.ggml.pre`.
import { ENCODINGS } from '../encodings.js'

const CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
const WORDS = String.raw`[^\r\n\p{L}\p{N}]?\p{L}+`
const SYMBOLS = String.raw` ?[^\s\p{L}\p{N}]+[\r\n]*`
const LINES = String.raw`\s*[\r\n]+`
const ONE_LINE = String.raw`\s*[\r\n]`
const SPACES = String.raw`\s+(?!\S)|\s+`

export const LLAMA3: string = ENCODINGS.llama3.pattern
export const QWEN2: string = ENCODINGS.qwen.pattern
export const O200K: string = ENCODINGS.o200k_base.pattern

export const QWEN35: string = either(
  CONTRACTIONS,
  String.raw`[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+`,
  String.raw`\p{N}`,
  String.raw` ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*`,
  LINES,
  SPACES,
)
export const TEKKEN: string = either(
  ...casedWords('', ''),
  String.raw`\p{N}`,
  String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
  LINES,
  SPACES,
)
export const YOUTU: string = either(
  ...casedWords('', `${CONTRACTIONS}?`),
  String.raw`\p{N}`,
  String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
  LINES,
  SPACES,
)
export const KIMI_K2: string = either(
  String.raw`[\p{Han}]+`,
  ...casedWords(String.raw`&&[^\p{Han}]`, `${CONTRACTIONS}?`),
  String.raw`\p{N}{1,3}`,
  SYMBOLS,
  LINES,
  SPACES,
)
export const BAILING: string = either(
  "'(?i:[sdmt]|ll|ve|re)",
  String.raw`[^\r\n\p{L}\p{N}]?+\p{L}+`,
  String.raw`\p{N}`,
  String.raw` ?[^\s\p{L}\p{N}]++[\r\n]*`,
  ONE_LINE,
  SPACES,
)
export const SEED_CODER: string = either(
  CONTRACTIONS,
  WORDS,
  String.raw`\p{N}{1}`,
  String.raw` ?[^\s\p{L}\p{N}\r\n]+`,
  LINES,
  SPACES,
)
export const EXAONE_MOE: string = either(
  CONTRACTIONS,
  String.raw`[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+`,
  String.raw`\p{N}`,
  String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]?`,
  ONE_LINE,
  SPACES,
)
export const MINICPM5: string = either(CONTRACTIONS, WORDS, String.raw`\p{N}+`, SYMBOLS, LINES, SPACES)
export const UFAKZEKA: string = either(WORDS, String.raw`\p{N}`, SYMBOLS, LINES, SPACES)
/** Runs of white space are cut into powers of two. */
export const JAIS2: string = either(
  CONTRACTIONS,
  WORDS,
  String.raw`\p{N}{1,3}`,
  SYMBOLS,
  LINES,
  ...[512, 256, 128, 64, 32, 16, 8, 4].map((length) => String.raw`\s{${length}}(?!\S)`),
  String.raw`\s{1,2}(?!\S)|\s{1}`,
)

const ASCII_WORDS = String.raw`[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_${'`'}{|}~][A-Za-z]+`
const LETTERS_AND_MARKS = String.raw`[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+`
export const DEEPSEEK3_WORDS: string = either(
  ASCII_WORDS,
  LETTERS_AND_MARKS,
  String.raw` ?[\p{P}\p{S}]+[\r\n]*`,
  LINES,
  SPACES,
)
export const SPARK_WORDS: string = either(
  ASCII_WORDS,
  LETTERS_AND_MARKS,
  String.raw` ?[\p{P}\p{S}]+`,
  String.raw`[\r\n]`,
  SPACES,
)
export const CJK: string = '[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+'
export const CJK_AND_HANGUL: string = '[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+'
export const YOUTU_SCRIPTS: string = either(
  '[\uac00-\ud7a3\u3131-\u318e]+',
  '[\uff01\u2026\u201c\u201d\u2018\u2019\u2014\uff1a\uff1b\uff0c\u3001-\u303f\ufe30-\ufe4f]+',
  '[\u3105-\u312f]+',
  CJK,
)
export const AFMOE_SCRIPTS: string =
  '[\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff\u3040-\u309f\u30a0-\u30ff\uff65-\uff9f\u2f00-\u2fdf' +
  '\u0e00-\u0e7f\u0e80-\u0eff\u1780-\u17ff\u1000-\u109f\uaa60-\uaa7f\ua9e0-\ua9ff\uac00-\ud7af\u1100-\u11ff]+'

/** Letters of alphabets with upper and lower case, as of some older Unicode. */
export const DEEPSEEK_LETTERS: string = [
  String.raw`\s?[A-Za-z`,
  '\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf\u01c4-\u0293\u0295-\u02af\u0370-\u0373\u0376\u0377',
  '\u037b-\u037d\u037f\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03f5\u03f7-\u0481\u048a-\u052f\u0531-\u0556',
  '\u10a0-\u10c5\u13a0-\u13f5\u13f8-\u13fd\u1c90-\u1cba\u1cbd-\u1cbf\u1d00-\u1d2b\u1d6b-\u1d77\u1d79-\u1d9a',
  '\u1e00-\u1f15\u1f18-\u1f1d\u1f20-\u1f45\u1f48-\u1f4d\u1f50-\u1f57\u1f59\u1f5b\u1f5d\u1f5f-\u1f7d\u1f80-\u1fb4',
  '\u1fb6-\u1fbc\u1fbe\u1fc2-\u1fc4\u1fc6-\u1fcc\u1fd0-\u1fd3\u1fd6-\u1fdb\u1fe0-\u1fec\u1ff2-\u1ff4\u1ff6-\u1ffc',
  '\u2102\u2107\u210a-\u2113\u2115\u2119-\u211d\u2124\u2126\u2128\u212a-\u212d\u212f-\u2134\u2139\u213c-\u213f',
  '\u2145-\u2149\u214e\u2183\u2184\u2c00-\u2c7b\u2c7e-\u2ce4\u2ceb-\u2cee\u2cf2\u2cf3\ua640-\ua66d\ua680-\ua69b',
  '\ua722-\ua76f\ua771-\ua787\ua78b-\ua78e\uab70-\uabbf\ufb00-\ufb06\ufb13-\ufb17\uff21-\uff3a\uff41-\uff5a',
  '\u{10400}-\u{1044f}\u{104b0}-\u{104d3}\u{104d8}-\u{104fb}\u{10c80}-\u{10cb2}\u{10cc0}-\u{10cf2}',
  '\u{118a0}-\u{118df}\u{1e900}-\u{1e943}]+',
].join('')
export const DEEPSEEK_SYMBOLS: string = '\\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002]+'

/** The class inside the class is Oniguruma's; the brackets exclude nothing. */
export const BLOOM: string = ' ?[^(\\s|[.,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c])]+'

/** Threes from the right: 1234567 is 1 234 567. */
export const TINY_AYA_NUMBERS: string = String.raw`\d{1,3}(?=(?:\d{3})*\b)`
export const AFMOE_NUMBERS: string = String.raw`\p{Nd}{1,2}(?=(?:\p{Nd}{3})+(?!\p{Nd}))|\p{Nd}{3}|\p{Nd}{1,2}`

/** o200k's words, whose letters are `also` restricted. */
function casedWords(also: string, end: string): string[] {
  const upper = String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}${also}]`
  const lower = String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}${also}]`
  const start = String.raw`[^\r\n\p{L}\p{N}]?`
  return [`${start}${upper}*${lower}+${end}`, `${start}${upper}+${lower}*${end}`]
}

function either(...alternatives: string[]): string {
  return alternatives.join('|')
}
