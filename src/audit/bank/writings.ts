// Writings of a reserved token's name, by which text may try to become it.

const ACCENTED = new Map(
  Array.from('AÁEÉIÍOÖUŪCÇNÑSŠaáeéiíoöuūcçnñsš'.matchAll(/(.)(.)/gu), ([, plain, accented]) => [
    plain?.codePointAt(0) as number,
    accented?.codePointAt(0) as number,
  ]),
)
const FULL_WIDTH = 0xfee0
const map = (text: string, change: (c: number) => number): string =>
  Array.from(text, (character) => String.fromCodePoint(change(character.codePointAt(0) as number))).join('')
const isVisible = (c: number): boolean => c > 32 && c < 127

/** Texts that normalizers turn into the name, or nearly. */
export const WRITINGS: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => `a${name}b`,
  (name) => ` ${name}\n`,
  (name) => `你好${name}${name}.`,
  (name) => map(name, (c) => (isVisible(c) ? c + FULL_WIDTH : c)),
  (name) => map(name, (c) => ('<|>[]/'.includes(String.fromCodePoint(c)) ? c + FULL_WIDTH : c)),
  (name) => name.replaceAll('<', '﹤').replaceAll('>', '﹥'),
  (name) =>
    map(name, (c) => (c > 96 && c < 123 ? c - 97 + 0x1d41a : c > 64 && c < 91 ? c - 65 + 0x1d400 : c)),
  (name) => map(name, (c) => (c > 96 && c < 123 ? c - 97 + 0x24d0 : c)),
  (name) => name.replaceAll('s', 'ſ').replaceAll('K', 'K'),
  (name) => name.toUpperCase(),
  (name) => name.toLowerCase(),
  (name) => name.replaceAll('▁', ' '),
  (name) => name.replaceAll(' ', '▁').replaceAll('_', '▁'),
  (name) => name.replaceAll('｜', '|'),
  (name) => name.replaceAll('|', '｜'),
  (name) => name.normalize('NFD'),
  (name) => name.normalize('NFKC'),
  (name) => name.normalize('NFKD'),
  (name) => `▁${name}▁`,
  (name) => `${name}\u0338`,
  (name) => Array.from(name).join('\u200b'),
  (name) => Array.from(name).join('\u0301'),
  (name) => `\0${name}\ud83d`,
  (name) => name.slice(0, -1) + name + name.slice(-1),
  // What BertNormalizer and others undo: accents, case, and characters that go.
  (name) => map(name, (c) => ACCENTED.get(c) ?? c),
  (name) => map(name.toLowerCase(), (c) => ACCENTED.get(c) ?? c),
  (name) => Array.from(name, (c, i) => (i % 2 ? c.toUpperCase() : c.toLowerCase())).join(''),
  (name) => Array.from(name).join('\u00ad'),
  (name) => Array.from(name).join('\u0001'),
  (name) => Array.from(name).join('\ue000'),
  (name) => Array.from(name).join(' '),
  (name) => name.replaceAll('i', 'İ').replaceAll('I', 'İ'),
  (name) => `\t${name}\u3000`,
  (name) => `你${name}\u{20000}`,
]
