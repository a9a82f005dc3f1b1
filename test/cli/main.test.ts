import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { COMMANDS, HELP } from '../../src/cli/main.js'
import { defaultModelPath } from '../../src/cli/package-files.js'
import { run } from './run.js'

const MODEL = defaultModelPath()
const NAMES = COMMANDS.map((command) => command.name)

it('shows its commands and exit codes', async () => {
  const { code, out } = await run(['--help'])
  expect(code).toBe(0)
  expect(NAMES).toEqual(['encode', 'decode', 'count', 'chat', 'fit', 'inspect', 'audit', 'compile', 'demo'])
  for (const name of NAMES) expect(out).toContain(`\n  ${name} `)
  expect(out).toContain('Exit codes:')
  expect(await run(['-h'])).toEqual({ code, out, err: '' })
  expect(await run(['help'])).toEqual({ code, out, err: '' })
  expect(await run([])).toMatchObject({ code: 2, out })
  expect((await run(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/)
})

it.each(NAMES)('%s has help, in lines that fit', async (name) => {
  const help = await run([name, '--help'])
  expect(help).toMatchObject({ code: 0, err: '' })
  expect(help.out).toContain(`Usage: safetokens ${name}`)
  expect(await run(['help', name])).toEqual(help)
  expect(await run([name, '--model', MODEL, '-h'])).toEqual(help)
  const long = help.out.split('\n').filter((line) => line.length > 118 && !line.includes(' | '))
  expect(long).toEqual([])
})

describe('examples of the help', () => {
  afterAll(() => rmSync('mini.stk', { force: true })) // what one of them writes

  const texts = [HELP, ...COMMANDS.map((command) => command.help)]
  const examples = texts.flatMap((text) => {
    const lines = text.split('Examples:\n')[1]?.trimEnd().split('\n') ?? []
    expect(lines).not.toEqual([])
    // Those with an engine need a server.
    return lines.map((line) => line.trim()).filter((line) => !line.includes(' --engine '))
  })

  it.skipIf(process.platform === 'win32').each([...new Set(examples)])(
    '%s',
    { timeout: 60_000 },
    async (line) => {
      expect(line).toContain('safetokens ')
      let piped = ''
      for (const stage of line.split(' | ')) {
        if (stage.startsWith('safetokens ')) {
          const words = shell(stage.replace('safetokens', `printf '%s\\0'`)).split('\0').slice(0, -1)
          const { code, out, err } = await run(words, piped)
          expect({ code, err }).toEqual({ code: 0, err: '' })
          expect(out).not.toContain('"error"')
          piped = out
        } else {
          piped = shell(stage)
        }
      }
      expect(piped.trim()).not.toBe('')
    },
  )

  function shell(command: string): string {
    return execFileSync('sh', ['-c', command], { encoding: 'utf8' })
  }
})

it('says what it does not understand, with code 2', async () => {
  expect(await run(['frob'])).toEqual({
    code: 2,
    out: '',
    err: 'safetokens: "frob" is not a command ("safetokens --help" tells more)\n',
  })
  expect((await run(['help', 'frob'])).code).toBe(2)
  expect(await run(['encode', '--modle', MODEL, 'x'])).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringContaining('("safetokens encode --help" tells more)'),
  })
  expect((await run(['demo', 'x'])).code).toBe(2)
})

it.each(['encode', 'decode', 'count', 'chat'])(
  '%s needs a model, and tells of the one that is there',
  async (name) => {
    const { code, err } = await run([name, '1'])
    expect(code).toBe(2)
    expect(err).toContain(`safetokens: ${name} needs --model MODEL`)
    expect(err).toContain('models/mini-chatglm3')
    expect(err).toContain('--model mini')
  },
)

it('reports errors of the model without a stack, with code 1', async () => {
  const { code, err } = await run(['encode', '--model', 'no/such-model', 'x'])
  expect(code).toBe(1)
  expect(err).toMatch(/^safetokens: no\/such-model: there is no such file or folder\. .*\n$/)
})

it('prints no control characters of its arguments', async () => {
  const { err } = await run(['encode', '--model', 'a\x1b[31mb', 'x'])
  expect(err).not.toContain('\x1b')
})
