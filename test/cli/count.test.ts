import { expect, it } from 'vitest'
import { defaultModelPath } from '../../src/cli/package-files.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { jsonLines, run } from './run.js'

const tokenizer = await Tokenizer.load(defaultModelPath())
const TEXT = '你好 <|system|> and more'

it('prints how many ids encode gives', async () => {
  const count = tokenizer.encode(TEXT).length
  expect(await run(['count', '--model', 'mini', TEXT])).toEqual({ code: 0, out: `${count}\n`, err: '' })
  expect((await run(['count', '--model', 'mini', '-'], TEXT)).out).toBe(`${count}\n`)
  expect((await run(['count', '--model', 'mini', '--json', TEXT])).out).toBe(`{"count":${count}}\n`)
})

it('answers lines of JSON', async () => {
  const lines = [JSON.stringify(TEXT), 'oops', JSON.stringify({ id: { a: 1 }, text: '' })]
  const { code, out } = await run(['count', '--model', 'mini', '--jsonl'], lines.join('\n'))
  expect(code).toBe(1)
  expect(jsonLines(out)).toEqual([
    { count: tokenizer.count(TEXT) },
    { error: expect.objectContaining({ code: 'INVALID_JSON', line: 2 }) },
    { id: { a: 1 }, count: 0 },
  ])
})

it('needs one text', async () => {
  expect(await run(['count', '--model', 'mini'])).toMatchObject({ code: 2 })
})
