import { ofContent } from './dependence.js'
import { type Methods, method } from './methods.js'
import { OriginText } from './origin-text.js'
import { PythonError, typeError, UnsupportedError } from './python-error.js'
import { type Bytes, bool, Str, typeName, type Value } from './value.js'

/** The methods of Python's `bytes` that lead back to text. */

/** Python's names of UTF-8. */
export function isUtf8(name: string): boolean {
  return /^utf[-_ ]?8$|^u8$/i.test(name)
}

function unsupported(
  name: string,
): [string, Methods<Bytes> extends ReadonlyMap<string, infer M> ? M : never] {
  return method<Bytes>(name, '', () => {
    throw new UnsupportedError(`bytes.${name}()`)
  })
}

const OTHERS = (
  'capitalize center count endswith expandtabs find fromhex index isalnum isalpha isdigit islower isspace ' +
  'istitle isupper join ljust lower lstrip maketrans partition removeprefix removesuffix replace rfind ' +
  'rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title translate upper zfill'
).split(' ')

export const BYTES_METHODS: Methods<Bytes> = new Map([
  ...OTHERS.map(unsupported),
  method<Bytes>('decode', 'encoding? errors?', (rendering, self, [encoding]) => {
    if (encoding !== undefined && encoding.kind !== 'str') {
      throw typeError(`decode() argument 'encoding' must be str, not ${typeName(encoding as Value)}`)
    }
    const name = encoding?.text.text ?? 'utf-8'
    if (!isUtf8(name)) throw new UnsupportedError(`the encoding ${name}`)
    rendering.meter.write(self.data.length)
    try {
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(self.data)
      return new Str(OriginText.of(text, self.origin), ofContent(self))
    } catch {
      throw new PythonError('UnicodeDecodeError', "'utf-8' codec can't decode the bytes")
    }
  }),
  method<Bytes>('hex', '', (rendering, self) => {
    rendering.meter.write(self.data.length * 2)
    return new Str(OriginText.of(Buffer.from(self.data).toString('hex'), self.origin), ofContent(self))
  }),
  method<Bytes>('isascii', '', (_rendering, self) =>
    bool(
      self.data.every((byte) => byte < 0x80),
      ofContent(self),
    ),
  ),
])
