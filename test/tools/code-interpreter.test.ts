import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { Chat } from '../../src/chat/chat.js'
import type { ChatMessage } from '../../src/chat/messages.js'
import { codeInterpreter, observation, withUploadedFiles } from '../../src/tools/code-interpreter.js'
import { toolMessages } from '../../src/tools/openai.js'
import { toolRegistry } from '../../src/tools/registry.js'
import { TRUNCATION } from '../../src/tools/truncate-result.js'

describe('observation', () => {
  it.each([
    [{ text: '[1, 2]' }, '```result\n[1, 2]\n```'],
    [{}, '```result\n\n```'],
    [{ text: 'a', error: 'ValueError: x' }, '```result\na\nValueError: x\n```'],
    [{ images: [new Uint8Array(1)] }, '[Image]'],
    [{ text: 'a', images: [new Uint8Array(1), new Uint8Array(1)] }, '```result\na\n```\n[Image]\n[Image]'],
  ])('%j', (result, text) => {
    expect(observation(result)).toBe(text)
  })
})

describe('withUploadedFiles', () => {
  it('tells of files in front of the question', () => {
    expect(withUploadedFiles('Any gaps?', [{ path: '/mnt/data/a.csv', size: 35380 }])).toBe(
      '#File: /mnt/data/a.csv\n#Size: 35380\n#File uploaded\nAny gaps?',
    )
    expect(withUploadedFiles('q', [])).toBe('q')
  })

  it.each([
    { path: 'a\n#Size: 1', size: 1 },
    { path: '', size: 1 },
    { path: 'a', size: -1 },
    { path: 'a', size: 0.5 },
  ])('refuses %j', (file) => {
    expect(() => withUploadedFiles('q', [file])).toThrow('withUploadedFiles')
  })
})

describe('codeInterpreter', () => {
  it('is a tool for turns of the interpreter', async () => {
    const programs: string[] = []
    const executor = {
      execute: async (code: string) => {
        programs.push(code)
        return { text: 'x'.repeat(2000) }
      },
    }
    const registry = toolRegistry([codeInterpreter(executor)], { limit: TRUNCATION['chatglm3-demo'] })
    const chat = await Chat.load('models/mini-chatglm3')
    const { tokenizer } = chat
    const turns = chat.parse(
      [
        ...tokenizer.encode('interpreter\n'),
        ...tokenizer.encode('First:\n```python\na = 1\n```\nthen\n```python\nprint(a)\n```'),
      ],
      { tools: registry },
    )
    const calls = turns.flatMap(({ toolCalls }) => toolCalls)
    const results = await registry.dispatchAll(calls)
    expect(programs).toEqual(['print(a)'])
    expect(results[0]?.content).toBe(`${`\`\`\`result\n${'x'.repeat(2000)}`.slice(0, 1024)} [TRUNCATED]`)
    const messages: ChatMessage[] = [
      { role: 'user', content: 'q' },
      ...turns,
      ...toolMessages(calls, results),
    ]
    expect(chat.render(messages)).toContain('<|observation|>\n```result\nxxx')
    expect(() => codeInterpreter({} as never)).toThrow('execute(code, context)')
  })
})

const root = path.resolve(import.meta.dirname, '../..')
const python = spawnSync('python3', ['-c', 'import resource']).status === 0

describe.skipIf(!python || !existsSync(path.join(root, 'dist', 'index.mjs')))('the example', () => {
  const run = (...code: string[]) =>
    promisify(execFile)(process.execPath, [path.join(root, 'examples', 'code-interpreter.mjs'), ...code])

  it('runs nothing unless it is told to', async () => {
    expect((await run()).stdout).toContain('pass --run')
    expect((await run('--run')).stdout).toBe('```result\n[0.0, 1.0, 1.414, 1.732, 2.0]\n```\n')
  })

  it.each([
    ['while True: pass', 'stopped by a limit'],
    ['while True: print("x" * 1000)', 'stopped by a limit'],
    ['x = bytearray(10**10)', 'MemoryError'],
    ['1/0', 'ZeroDivisionError'],
    ['a b', 'SyntaxError'],
  ])(
    'ends %s',
    async (code, expected) => {
      const file = path.join(root, 'examples', 'code-interpreter.mjs')
      const program = `import { pythonProcess } from ${JSON.stringify(file)}
      const { text, error } = await pythonProcess.execute(${JSON.stringify(code)}, {})
      process.stdout.write(String(error))`
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
        maxBuffer: 2 ** 24,
      })
      expect(stdout).toContain(expected)
    },
    60_000,
  )
})
