// models/mini-chatml: its ids are those of Hugging Face's `tokenizers`, run live, and its recipe makes these very files.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { trusted } from '../../src/prompt/parts.js'
import { Tokenizer } from '../../src/tokenizer/tokenizer.js'
import { compare } from '../conformance/compare.js'
import { huggingFace, packageFile } from '../conformance/tokenizers.js'

const root = path.resolve(import.meta.dirname, '../..')
const folder = path.join(root, 'models', 'mini-chatml')
const file = (name: string): Buffer => readFileSync(path.join(folder, name))
const json = (name: string): Record<string, unknown> => JSON.parse(file(name).toString())

let tokenizer: Tokenizer
beforeAll(async () => {
  tokenizer = await Tokenizer.load(folder)
})

/** Added tokens, in order of their ids, and whether the file flags them as special. */
const ADDED = [
  ['<|endoftext|>', true],
  ['<|im_start|>', true],
  ['<|im_end|>', true],
  ['<tool_call>', false],
  ['</tool_call>', false],
  ['<tool_response>', false],
  ['</tool_response>', false],
  ['<think>', false],
  ['</think>', false],
] as const

describe('the files', () => {
  it('are small, and the README tells their hash and size', () => {
    const bytes = file('tokenizer.json')
    expect(bytes.length).toBeLessThan(400_000)
    const readme = file('README.md').toString()
    expect(readme).toContain(createHash('sha256').update(bytes).digest('hex'))
    expect(readme).toContain(`${bytes.length.toLocaleString('en')} bytes`)
  })

  it('have the added tokens behind the vocabulary, some not flagged as special', () => {
    const added = json('tokenizer.json').added_tokens as { id: number; content: string; special: boolean }[]
    expect(added.map(({ id, content, special }) => [id, content, special])).toEqual(
      ADDED.map(([name, special], i) => [8000 + i, name, special]),
    )
  })

  it('name the tokens at the ends of turns', () => {
    const config = json('tokenizer_config.json')
    expect(config).toMatchObject({ bos_token: null, eos_token: '<|im_end|>', pad_token: '<|endoftext|>' })
    expect(json('generation_config.json')).toEqual({
      eos_token_id: ['<|im_end|>', '<|endoftext|>'].map((name) => tokenizer.getCommand(name)),
      pad_token_id: tokenizer.getCommand('<|endoftext|>'),
    })
  })
})

describe('the tokenizer', () => {
  it('reserves all added tokens, whatever their flags', () => {
    expect(tokenizer.vocabSize).toBe(8009)
    expect(tokenizer.reserved.map(({ id, name }) => [id, name])).toEqual(
      ADDED.map(([name], i) => [8000 + i, name]),
    )
  })

  it.each([
    ['Hello, how can I help you today?', [5607, 11, 2789, 956, 420, 1756, 723, 3540, 30]],
    ['你好，今天北京的天气怎么样？', [5589, 4558, 6697, 285, 722, 1095, 6821, 1022, 1743]],
    ['<|im_start|>', [27, 91, 423, 62, 6828, 91, 29]],
    ['\n\n\n  e\u0301\r\n', [372, 198, 220, 220, 127, 102, 201, 198]],
    ['', []],
  ])('encodes %j', (text, ids) => {
    expect([...tokenizer.encode(text)]).toEqual(ids)
  })

  it('takes trusted text by its spelling', () => {
    expect([...tokenizer.encode(trusted('<|im_start|>user\n'))]).toEqual([8001, 1655, 198])
  })

  it.skipIf(packageFile('tokenizers', 'package.json') === undefined)(
    'has the ids and texts of Hugging Face',
    { timeout: 60_000 },
    async () => {
      const { differences, texts } = await compare(
        tokenizer,
        huggingFace(file('tokenizer.json')),
        2000,
        20261130,
      )
      expect(differences).toEqual([])
      expect(texts).toBe(2000)
    },
  )
})

// It would fetch 55 MB: the recipe's --cache folder must be given.
describe('the recipe', () => {
  const python = process.env.PYTHON ?? 'python3'
  const cache = process.env.SAFETOKENS_TRAINING_CACHE
  const recipe = path.join(root, 'scripts', 'train-mini-chatml.py')
  const version = /^TOKENIZERS_VERSION = "(.+)"$/m.exec(readFileSync(recipe, 'utf8'))?.[1]
  const missing = cache === undefined ? 'SAFETOKENS_TRAINING_CACHE is not set' : missingPackage()
  const name = 'makes the same files'

  it.skipIf(missing !== undefined)(
    missing === undefined ? name : `${name} (skipped: ${missing})`,
    { timeout: 300_000 },
    () => {
      const { status, stdout, stderr } = run([recipe, '--check', '--cache', cache as string])
      expect(stderr).toBe('')
      expect(stdout.match(/^same .*$/gm)).toHaveLength(3)
      expect(status).toBe(0)
    },
  )

  function missingPackage(): string | undefined {
    const { stdout } = run(['-c', 'import tokenizers; print(tokenizers.__version__)'])
    return stdout?.trim() === version ? undefined : `${python} has no tokenizers ${version}`
  }

  function run(args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
    return spawnSync(python, args, {
      encoding: 'utf8',
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    })
  }
})
