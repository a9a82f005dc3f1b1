import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { compileModel } from '../../src/tokenizer/compile-model.js'
import { ModelFolders } from '../fixtures/model-folder.js'
import { run } from './run.js'

const folders = new ModelFolders()
const file = path.join(folders.make({}), 'mini.stk')
afterAll(() => folders.remove())

it('writes what compileModel gives, which other commands take', async () => {
  const bytes = await compileModel('models/mini-chatml')
  expect(await run(['compile', 'models/mini-chatml', '-o', file, '--json'])).toMatchObject({
    code: 0,
    out: `${JSON.stringify({ file, bytes: bytes.length })}\n`,
  })
  expect(new Uint8Array(readFileSync(file))).toEqual(bytes)
  const text = 'hello <|im_end|>'
  expect(await run(['encode', '--model', file, text])).toEqual(
    await run(['encode', '--model', 'models/mini-chatml', text]),
  )
})

it('tells what is wrong with its arguments', async () => {
  expect(await run(['compile', 'mini'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('-o FILE'),
  })
  expect(await run(['compile', '-o', file])).toMatchObject({
    code: 2,
    err: expect.stringContaining('MODEL'),
  })
  expect(await run(['compile', 'missing', '-o', file])).toMatchObject({ code: 1 })
  expect(await run(['compile', 'mini', '-o', path.dirname(file)])).toMatchObject({
    code: 2,
    err: expect.stringContaining('cannot be written'),
  })
})
