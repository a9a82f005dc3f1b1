import { expect, it } from 'vitest'
import { defaultModelPath } from '../../src/cli/package-files.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { jsonLines, run } from './run.js'

const tokenizer = await Tokenizer.load(defaultModelPath())
const idsOf = (text: string): number[] => Array.from(tokenizer.encode(text))
const encode = (args: readonly string[], stdin?: Parameters<typeof run>[1]) =>
  run(['encode', '--model', 'mini', ...args], stdin)

it('prints the ids of a text', async () => {
  const ids = idsOf('你好 <|system|>')
  expect(await encode(['你好 <|system|>'])).toEqual({ code: 0, out: `${ids.join(' ')}\n`, err: '' })
  const { out } = await encode(['--json', '你好 <|system|>'])
  expect(JSON.parse(out)).toEqual({ ids, count: ids.length })
  expect((await encode([''])).out).toBe('\n')
})

it('reads standard input, characters cut in two included', async () => {
  const bytes = new TextEncoder().encode('你好\n')
  const { out } = await encode(['-'], [bytes.subarray(0, 4), bytes.subarray(4)])
  expect(out).toBe(`${idsOf('你好\n').join(' ')}\n`)
})

it('keeps a byte order mark of a text, and replaces bytes that are not UTF-8', async () => {
  const { out } = await encode(['--json', '-'], [Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0xff, 0x62, 0xe4)])
  expect(JSON.parse(out).ids).toEqual(idsOf('\ufeffa\ufffdb\ufffd'))
})

it('takes a text that looks like an option behind --', async () => {
  const { code, out } = await encode(['--', '--help'])
  expect(code).toBe(0)
  expect(out).toBe(`${idsOf('--help').join(' ')}\n`)
})

it('answers lines of JSON', async () => {
  const lines = ['"你好"', '{"text": "<|system|>"}', '{"text": "x", "id": 1.50}', '"\\ud83d"']
  const { code, out, err } = await encode(['--jsonl'], lines.join('\r\n'))
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(jsonLines(out)).toEqual(
    ['你好', '<|system|>', 'x', '\ufffd'].map((text, i) => {
      const ids = idsOf(text)
      return { ...(i === 2 && { id: 1.5 }), ids, count: ids.length }
    }),
  )
  expect(out).toContain('{"id":1.50,') // as it was spelled
  expect(await encode(['--jsonl', '--json', '-'], lines.join('\n'))).toEqual({ code, out, err })
})

it.each([
  ['3', 'a string, or an object with it as "text", was expected, not a number'],
  ['null', 'a string, or an object with it as "text", was expected, not null'],
  ['["x"]', 'a string, or an object with it as "text", was expected, not an array'],
  ['{"text": null}', 'text: a string was expected, not null'],
  ['{"txt": "x"}', 'text: a string was expected, not nothing'],
])('refuses the line %s', async (line, message) => {
  const { code, out } = await encode(['--jsonl'], line)
  expect(code).toBe(1)
  expect(JSON.parse(out)).toEqual({ error: { code: 'INVALID_INPUT', message, line: 1 } })
})

it.each([[[]], [['a', 'b']], [['--jsonl', 'text']], [['--jsonl', '-', '-']]])(
  'refuses the arguments %j',
  async (args) => {
    expect(await encode(args)).toMatchObject({ code: 2, out: '' })
  },
)
