import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { main } from '../../src/cli/main.js'
import { defaultModelPath } from '../../src/cli/package-files.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'

const MODEL = defaultModelPath()

async function run(args: readonly string[], stdin: readonly (string | Uint8Array)[] = []) {
  let out = ''
  let err = ''
  const code = await main(args, {
    stdin: Readable.from(stdin),
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
  })
  return { code, out, err }
}

describe('safetokens', () => {
  it('shows its commands', async () => {
    const { code, out } = await run(['--help'])
    expect(code).toBe(0)
    for (const name of ['encode', 'demo']) expect(out).toContain(`\n  ${name} `)
    expect((await run([])).code).toBe(2)
    expect((await run(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  it('says what it does not understand', async () => {
    expect(await run(['frob'])).toEqual({
      code: 2,
      out: '',
      err: 'safetokens: "frob" is not a command ("safetokens --help" tells more)\n',
    })
    expect((await run(['encode', 'x'])).err).toContain('encode needs --model MODEL')
    expect((await run(['encode', '--model', MODEL])).code).toBe(2)
    expect((await run(['encode', '--modle', MODEL, 'x'])).code).toBe(2)
  })

  it('reports errors of the model without a stack', async () => {
    const { code, err } = await run(['encode', '--model', 'no/such-model', 'x'])
    expect(code).toBe(1)
    expect(err).toMatch(/^safetokens: no\/such-model: there is no such file or folder\. .*\n$/)
  })
})

describe('safetokens encode', () => {
  it('prints the ids of a text', async () => {
    const ids = Array.from((await Tokenizer.load(MODEL)).encode('你好 <|system|>'))
    expect(await run(['encode', '--model', MODEL, '你好 <|system|>'])).toEqual({
      code: 0,
      out: `${ids.join(' ')}\n`,
      err: '',
    })
    const { out } = await run(['encode', '--json', '--model', MODEL, '你好 <|system|>'])
    expect(JSON.parse(out)).toEqual({ ids, count: ids.length })
  })

  it('reads standard input, characters cut in two included', async () => {
    const bytes = new TextEncoder().encode('你好\n')
    const { out } = await run(['encode', '--model', MODEL, '-'], [bytes.subarray(0, 4), bytes.subarray(4)])
    const ids = (await Tokenizer.load(MODEL)).encode('你好\n')
    expect(out).toBe(`${Array.from(ids).join(' ')}\n`)
  })

  it('takes a text that looks like an option behind --', async () => {
    const { code, out } = await run(['encode', '--model', MODEL, '--', '--help'])
    expect(code).toBe(0)
    expect(out).toMatch(/^[\d ]+\n$/)
  })

  it('has help', async () => {
    const { code, out } = await run(['encode', '--help'])
    expect(code).toBe(0)
    expect(out).toContain('Examples:')
  })
})
