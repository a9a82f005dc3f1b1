// What the corpus is made of. `from` is a folder of the unpacked Debian packages, or of the packages of npm.
import { htmlText, manualText, plainText } from './convert.mjs'

const DOC = 'debian/usr/share/doc'
const MAN = 'debian/usr/share/man'

/** Bytes are those of the benchmark; as much again goes to the text that engines are warmed with. */
export const GROUPS = [
  { name: 'english', bytes: 1_500_000, from: ['npm'], files: /\.md$/, convert: plainText },
  {
    name: 'english_html',
    bytes: 2_600_000,
    from: [DOC],
    files:
      /debian-handbook\/html\/en\b.*\.html$|debian-reference\/.*\.en\.html$|debian-policy\/.*\.html$|amd64\/en\/.*\.html$/,
    convert: htmlText,
  },
  { name: 'code_ts', bytes: 1_300_000, from: ['npm'], files: /\.(ts|mjs|cjs|mts)$/, convert: plainText },
  {
    name: 'code_c',
    bytes: 900_000,
    from: ['debian/usr/include', 'debian/usr/lib/gcc'],
    files: /\.(h|hpp|tcc)$|\/c\+\+\/12\/[a-z_]+$/,
    convert: plainText,
  },
  {
    name: 'code_py',
    bytes: 1_000_000,
    from: ['debian/usr/lib/python3.11'],
    files: /\.py$/,
    convert: plainText,
  },
  {
    name: 'json',
    bytes: 425_000,
    from: ['npm', 'debian/usr/share/iso-codes'],
    files: /\.json$/,
    convert: plainText,
  },
  {
    name: 'chinese',
    bytes: 400_000,
    from: [DOC, 'debian/usr/share/debian-reference'],
    files: /amd64\/zh_CN\/.*\.html$|zh-cn\.html$|handbook\/html\/zh_CN\/.*\.html$/,
    convert: htmlText,
  },
  { name: 'chinese_man', bytes: 455_000, from: [`${MAN}/zh_CN`], files: /\.gz$/, convert: manualText },
  {
    name: 'japanese',
    bytes: 400_000,
    from: [DOC, 'debian/usr/share/debian-reference'],
    files: /amd64\/ja\/.*\.html$|\.ja\.html$|handbook\/html\/ja\/.*\.html$/,
    convert: htmlText,
  },
  { name: 'japanese_man', bytes: 405_000, from: [`${MAN}/ja`], files: /\.gz$/, convert: manualText },
  {
    name: 'korean',
    bytes: 200_000,
    from: [DOC],
    files: /amd64\/ko\/.*\.html$|handbook\/html\/ko\/.*\.html$/,
    convert: htmlText,
  },
  { name: 'russian', bytes: 325_000, from: [`${MAN}/ru`], files: /\.gz$/, convert: manualText },
  {
    name: 'spanish_french',
    bytes: 305_000,
    from: [`${MAN}/es`, `${MAN}/fr`],
    files: /\.gz$/,
    convert: manualText,
  },
  {
    name: 'german',
    bytes: 220_000,
    from: [DOC, 'debian/usr/share/debian-reference'],
    files: /amd64\/de\/.*\.html$|\.de\.html$/,
    convert: htmlText,
  },
]
