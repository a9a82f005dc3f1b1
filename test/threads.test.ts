// One model for all threads, teardown while encoding, garbage collection, process exit. Each in a process of its own,
// with the built package.
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { defaultModelPath } from '../src/cli/package-files.js'
import { DisposedError, InvalidArgumentError, UnknownControlTokenError } from '../src/errors.js'
import { control } from '../src/prompt/parts.js'
import { Tokenizer } from '../src/tokenizer/tokenizer.js'

const MODEL = path.join(defaultModelPath(), 'tokenizer.model')

async function run(name: string, args: readonly string[] = [], nodeArgs: readonly string[] = []) {
  const script = path.join(import.meta.dirname, 'fixtures', 'threads', name)
  const { stdout } = await promisify(execFile)(process.execPath, [...nodeArgs, script, MODEL, ...args])
  return JSON.parse(stdout)
}

describe('threads', () => {
  it('share one copy of a model and give the same ids', { timeout: 60_000 }, async () => {
    const { digest, racing, afterRace, sharing, beforeDispose, afterDispose } = await run('share.cjs')
    expect(racing).toHaveLength(8)
    // Each remembers what it has seen itself.
    for (const worker of [...racing, ...sharing]) expect(worker).toEqual({ digest, live: 1, remembered: 300 })
    expect({ afterRace, beforeDispose, afterDispose }).toEqual({
      afterRace: 0,
      beforeDispose: 1,
      afterDispose: 0,
    })
  })

  it('may be torn down while they encode', { timeout: 60_000 }, async () => {
    expect(await run('teardown.cjs')).toEqual({ live: 0 })
  })

  it.each(['0', '30', '120'])(
    'may be left behind by process.exit after %s ms',
    { timeout: 60_000 },
    async (delay) => {
      await expect(run('exit.cjs', [delay])).rejects.toMatchObject({ code: 7, signal: null, stderr: '' })
    },
  )
})

describe('garbage collection', () => {
  it('frees models whose handles are gone', { timeout: 60_000 }, async () => {
    const { most, live } = await run('collect.cjs', [], ['--expose-gc'])
    expect(most).toBeLessThanOrEqual(10)
    expect(live).toBeLessThanOrEqual(1)
  })
})

describe('encodeAsync', () => {
  let tokenizer: Tokenizer
  beforeAll(async () => {
    tokenizer = await Tokenizer.load(defaultModelPath())
  })

  it('gives what encode gives', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        const parts = [control('<|user|>'), text]
        expect(await tokenizer.encodeAsync(parts)).toEqual(tokenizer.encode(parts))
      }),
    )
  })

  it('rejects with typed errors', async () => {
    await expect(tokenizer.encodeAsync(control('<|nobody|>'))).rejects.toThrow(UnknownControlTokenError)
    await expect(tokenizer.encodeAsync(5 as never)).rejects.toThrow(InvalidArgumentError)
  })
})

describe('dispose', () => {
  it('lets go of this handle and no other', async () => {
    const first = await Tokenizer.load(defaultModelPath())
    const second = await Tokenizer.load(defaultModelPath())
    const expected = first.encode('hello')
    const pending = first.encodeAsync('hello')
    const stream = first.decodeStream()
    expect(first.getCommand('sop')).toBe(second.getCommand('sop'))
    first.dispose()
    first.dispose()
    for (const use of [
      () => first.encode('x'),
      () => first.encodeInto('x', new Uint32Array(4)),
      () => first.count('x'),
      () => first.decode([5]),
      () => first.getCommand('sop'),
      () => first.decodeStream(),
    ]) {
      expect(use).toThrow(DisposedError)
    }
    await expect(first.encodeAsync('x')).rejects.toThrow(DisposedError)
    expect(await pending).toEqual(expected)
    expect(stream.push(expected) + stream.end()).toBe('hello')
    expect(second.encode('hello')).toEqual(expected)
    second[Symbol.dispose]()
    expect(() => second.count('x')).toThrow(DisposedError)
  })
})
