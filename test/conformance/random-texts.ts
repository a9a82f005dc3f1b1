/** Spellings of control tokens, bytes and roles of many model families, whole and broken. */
export const ATTACKS: readonly string[] = [
  ...'<|system|> <|user|> <|assistant|> <|observation|> <|im_start|> <|im_end|> <|endoftext|> <|eot_id|>'.split(
    ' ',
  ),
  ...'<s> </s> <unk> <pad> <bos> <eos> <mask> [MASK] [gMASK] [sMASK] [gMASK]sop sop eop <sop> <eop>'.split(
    ' ',
  ),
  ...'[INST] [/INST] [TOOL_CALLS] [AVAILABLE_TOOLS] [/TOOL_RESULTS] [IMG] [PREFIX] [control_8]'.split(' '),
  ...'[REF] [/REF] [REFERENCE_DOC_1] [REFERENCE_DOC_19] [REFERENCE_DOC_ REFERENCE_DOC_2]'.split(' '),
  ...'<<SYS>> <</SYS>> <0x0A> <0xE4><0xBD><0xA0> <0x0a> <0xFFF> <｜User｜> <|im_<|im_end|>end|> </s </s></s>'.split(
    ' ',
  ),
  '<|user|>\n',
  '▁<s>',
  '< s >',
  '\n\nHuman: ',
]

const WORDS = (
  'the of quick brown tokenizer Hello hello HELLO internationalization naïve café straße l’été señor ' +
  'Привет мир Здравствуйте Γειά σου κόσμε ΟΣ שלום עולם مرحبا بالعالم नमस्ते दुनिया தமிழ் ಕನ್ನಡ สวัสดีชาวโลก ' +
  'xin chào Việt Nam გამარჯობა բարեւ ሰላም 안녕하세요 세계 かな カタカナ 漢字かな交じり'
).split(' ')
const CHINESE =
  '你好世界今天天气怎么样的是我不了在人有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长龘靐齾'
const CODE = [
  'function f(x) {\n  return x * 2\n}\n',
  'def f(x):\n    return [i for i in range(10)]\n',
  '{"name": "get_weather", "arguments": {"city": "北京"}}',
  '#include <vector>\r\nint main() { return 0; }\r\n',
  "SELECT * FROM t WHERE a != 'b' -- ;\n",
  '<div class="a">&nbsp;</div>',
  '\\frac{a}{b} \\le \\infty',
  'https://example.org/a?b=c&d=%20#e',
  '$ ls -la | grep "^d" > /dev/null 2>&1',
  '=== ----- ***** ##### ______ ........ !!!!!!! ////////',
]
const EMOJI = ['😀', '👩‍👩‍👧‍👦', '🏳️‍🌈', '👍🏽', '🇩🇪🇫🇷', '1️⃣', '❤️', '🧑🏿‍🚀', '☃', '𓀀', '𝒳', '🀄']
const MARKS = ['e\u0301', 'a\u0300\u0301\u0302', '\u0301', 'か\u3099', 'ｶﾞ', 'क्षि', 'Z͑ͫ̓a̴l̸g̷o', '각', '\u0344']
const FULL_WIDTH = ['Ｆｕｌｌ', '１２３', '＜｜ｕｓｅｒ｜＞', '，。！？', '　', 'ﬁ', '㍿', '①', '½']
const FORMAT = [
  '\u00a0',
  '\u200b',
  '\u200d',
  '\u200e',
  '\u2028',
  '\u3000',
  '\ufeff',
  '\u00ad',
  '\ufffd',
  '\ufffe',
  '\uffff',
]

/** The pseudo-random numbers of mulberry32: from 0 up to, without, 1. */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

export interface TextOptions {
  /** Whether texts may hold U+0000. Default true; the WASM oracle takes C strings and cannot. */
  nul?: boolean
  /** More fragments to mix in, as often as all attack strings together. */
  fragments?: readonly string[]
}

/** Texts that mix scripts, white space, control characters, code, random code points and attack strings. */
export function randomTexts(seed: number, count: number, options: TextOptions = {}): string[] {
  const random = mulberry32(seed)
  const below = (n: number) => Math.floor(random() * n)
  const pick = <T>(list: ArrayLike<T>): T => list[below(list.length)] as T
  const repeat = (text: string, most: number) => text.repeat(1 + below(most))
  const scalar = (low: number, high: number): string => {
    const c = low + below(high - low)
    return c >= 0xd800 && c < 0xe000 ? scalar(low, high) : String.fromCodePoint(c)
  }
  const control = () => {
    const c = below(34)
    return c === 0 && options.nul === false ? '\u0001' : String.fromCharCode(c < 33 ? c : 0x7f + below(33))
  }
  const kinds: (() => string)[] = [
    () => pick(WORDS),
    () => ` ${pick(WORDS)}`,
    () => ` ${pick(WORDS)} ${pick(WORDS)}, ${pick(WORDS)}.`,
    () => Array.from({ length: 1 + below(8) }, () => pick(CHINESE)).join(''),
    () => pick(EMOJI),
    () => pick(MARKS),
    () => repeat(' ', 20),
    () => repeat(pick(['\t', '\n', '\r\n', '\n\n', ' \n', '\u2581', '▁ ']), 5),
    control,
    () => pick(FORMAT),
    () => pick(FULL_WIDTH),
    () => String(below(10 ** (1 + below(9)))),
    () => pick(CODE),
    () => scalar(0x80, 0x10000),
    () => scalar(0x10000, 0x110000),
    () => scalar(0x4e00, 0xa000) + scalar(0x3400, 0x4db6),
    () => repeat(pick('aAeE=-_.#0o哈'), 40),
    () => pick(ATTACKS),
    () => pick(ATTACKS) + pick(ATTACKS),
    () => pick(ATTACKS).slice(below(4)),
  ]
  const { fragments } = options
  if (fragments) kinds.push(...Array.from({ length: 4 }, () => () => pick(fragments)))
  return Array.from({ length: count }, () => {
    let text = ''
    for (let parts = 1 + below(below(3) === 0 ? 24 : 6); parts > 0; parts--) text += pick(kinds)()
    return text
  })
}

/** Lone surrogates as U+FFFD, as every UTF-8 encoder has them. */
export function wellFormed(text: string): string {
  return text.toWellFormed()
}

/** Fragments at which tokenizers differ: borders of words, ages of Unicode, composition, contractions, bytes. */
export const TRICKY: readonly string[] = [
  ...[
    'a',
    'b',
    'the',
    ' the',
    'The',
    'THE',
    'ing',
    's',
    't',
    're',
    've',
    'll',
    'd',
    '1',
    '23',
    '456',
    '7890',
  ],
  ...[
    ' ',
    '  ',
    '   ',
    '\n',
    '\n\n',
    '\t',
    '\r',
    '\r\n',
    '\u000b',
    '\u000c',
    '\u001c',
    '\u001f',
    '\0',
    '\u007f',
  ],
  ..."' ’ 's 'S 't 're 'VE 'll 'D 'm ’s 'ſ . .. ... , ! ? $ _ - -- ( ) [ ] { } \" ` / \\ # @ < > <0x41> <0x".split(
    ' ',
  ),
  ...[
    'é',
    'e\u0301',
    'ß',
    'ẞ',
    'İ',
    'ı',
    'ſ',
    'K',
    'Å',
    'ǅ',
    'ΑΣ',
    'ﬁ',
    '½',
    '²',
    '１',
    '٣',
    'Ⅳ',
    '①',
    '𝟙',
    '\u32ff',
  ],
  ...[
    '你',
    '好',
    '日本',
    'の',
    'カ',
    '。',
    '、',
    '！',
    '안녕',
    '각',
    'ㅎ',
    '\u1100',
    '\u1161',
    '\u11a8',
    'Ａ',
    'ｶ',
    'ﾞ',
  ],
  ...[
    'ไท',
    'ย',
    'नम',
    'ा',
    'क्',
    'مر',
    'َ',
    'شلو',
    'ש',
    'ָ',
    '🙂',
    '👍',
    '🏽',
    '👨‍👩‍👧',
    '🇯🇵',
    '\u200d',
    '\ufe0f',
  ],
  ...[
    '\u00a0',
    '\u3000',
    '\u2003',
    '\u200b',
    '\u2028',
    '\u2029',
    '\u0085',
    '\u00ad',
    '\ufeff',
    '\u180e',
    '\u1680',
  ],
  ...[
    '\u0301',
    '\u0323',
    '\u0345',
    '\u0338',
    '\u1df6',
    '\u1df2',
    '\u1ac0',
    '\ua7d4',
    '\u{3345a}',
    '\u{1e030}',
  ],
  ...[
    '▁',
    '▁▁',
    'Ġ',
    'Ċ',
    '𝐇',
    '𐍈',
    '\ufffd',
    '\ufffe',
    '\u{e0067}',
    '\u{10ffff}',
    '\ud83d',
    '\ude00',
    '\ue000',
  ],
]

/** Texts of a few tricky fragments and the given ones, densely mixed. */
export function trickyTexts(seed: number, count: number, fragments: readonly string[] = []): string[] {
  const random = mulberry32(seed)
  const below = (n: number) => Math.floor(random() * n)
  const pick = (list: readonly string[]): string => list[below(list.length)] as string
  const one = () => pick(fragments.length > 0 && below(6) === 0 ? fragments : TRICKY)
  return Array.from({ length: count }, () => Array.from({ length: 1 + below(9) }, one).join(''))
}
