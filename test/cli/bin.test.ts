import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const CLI = fileURLToPath(new URL('../../dist/cli.mjs', import.meta.url))
const missing = !existsSync(CLI)
if (missing)
  console.log('dist/cli.mjs is missing: run "npm run build:ts" to test the program from end to end')

const LINE = `${JSON.stringify({ id: 1, text: 'The quick brown fox. '.repeat(15) })}\n`
const LINES = 200_000
/** Less than the input, so that holding it would fail. */
const HEAP = '--max-old-space-size=24'

function program(args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], { input, encoding: 'utf8' })
  return { status, stdout, stderr }
}

/** Writes lines for as long as somebody reads them. */
function feed(stdin: NodeJS.WritableStream, count: number): void {
  const block = LINE.repeat(1000)
  let left = count
  const write = (): void => {
    while (left > 0) {
      left -= 1000
      if (!stdin.write(block)) return void stdin.once('drain', write)
    }
    stdin.end()
  }
  stdin.on('error', () => {}) // EPIPE, when the program has ended
  write()
}

describe.skipIf(missing)('dist/cli.mjs', () => {
  it('reads a pipe and gives exit codes', { timeout: 60_000 }, () => {
    const encoded = program(['encode', '--model', 'mini', '-'], '你好 <|system|>')
    expect(encoded).toMatchObject({ status: 0, stderr: '' })
    expect(program(['decode', '--model', 'mini', '-'], encoded.stdout)).toEqual({
      status: 0,
      stdout: '你好 <|system|>\n',
      stderr: '',
    })
    expect(program(['decode', '--model', 'mini', '-'], 'x')).toMatchObject({ status: 1, stdout: '' })
    expect(program(['count', '--model', 'mini', '--jsonl'], 'x\n"y"\n').status).toBe(1)
    expect(program(['frob'])).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(/^safetokens: /),
    })
    expect(program(['--help']).status).toBe(0)
  })

  it('answers a long input in constant memory, from the start on', { timeout: 120_000 }, async () => {
    const child = spawn(process.execPath, [HEAP, CLI, 'count', '--model', 'mini', '--jsonl'])
    let answers = 0
    let stderr = ''
    const finished = new Promise((resolve) => child.on('close', resolve))
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    await new Promise<void>((resolve) => {
      child.stdout.on('data', (chunk: Buffer) => {
        answers += chunk.toString().split('\n').length - 1
        resolve()
      })
      child.on('close', () => resolve())
      child.stdin.write(LINE) // and nothing more until it is answered
    })
    expect(answers).toBe(1)
    feed(child.stdin, LINES)
    expect(await finished).toBe(0)
    expect({ answers, stderr }).toEqual({ answers: LINES + 1, stderr: '' })
  })

  it('answers a long input in several threads, in order', { timeout: 120_000 }, () => {
    const lines = Array.from({ length: 60_000 }, (_, i) =>
      i % 20_011 === 17
        ? 'bad'
        : JSON.stringify({ id: i, text: `line ${i}: <|system|> 你好 ${'x'.repeat(i % 90)}` }),
    )
    const input = lines.join('\n')
    const [one, three] = ['0', '3'].map((threads) => {
      const args = [CLI, 'encode', '--model', 'mini', '--jsonl', '--threads', threads]
      return spawnSync(process.execPath, args, { input, encoding: 'utf8', maxBuffer: 2 ** 28 })
    })
    expect(three).toMatchObject({ status: 1, stderr: '' })
    expect(three?.stdout === one?.stdout).toBe(true)
    const answers =
      three?.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)) ?? []
    expect(answers.map(({ id, error }) => id ?? error.line - 1)).toEqual(lines.map((_, i) => i))
    expect(answers.filter(({ error }) => error)).toHaveLength(3)
  })

  it.each([
    ['fit', '--window', '60'],
    ['count', '--chat'],
  ])('%s answers conversations in several threads, in order', { timeout: 120_000 }, (...args) => {
    const lines = Array.from({ length: 6000 }, (_, id) => {
      const messages = Array.from({ length: 7 }, (_, i) => ({
        role: i % 2 === 0 ? 'user' : 'assistant',
        content: `line ${id}, turn ${i}: ${'x'.repeat(id % 30)}`,
      }))
      return id % 2003 === 5 ? '{"messages": 1}' : JSON.stringify({ id, messages })
    })
    const input = lines.join('\n')
    const [one, two] = ['0', '2'].map((threads) => {
      const all = [CLI, ...args, '--model', 'mini', '--jsonl', '--threads', threads]
      return spawnSync(process.execPath, all, { input, encoding: 'utf8', maxBuffer: 2 ** 28 })
    })
    expect(two).toMatchObject({ status: 1, stderr: '' })
    expect(two?.stdout === one?.stdout).toBe(true)
    const answers = two?.stdout.trimEnd().split('\n') ?? []
    expect(answers.map((line) => JSON.parse(line).id ?? -1)).toEqual(
      lines.map((_, id) => (id % 2003 === 5 ? -1 : id)),
    )
  })

  it.skipIf(process.platform === 'win32')('ends quietly when the reader has enough', async () => {
    const command = `{ "${process.execPath}" "${CLI}" encode --model mini --jsonl; echo "code $?" >&2; } | head -n 1`
    const child = spawn('sh', ['-c', command])
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk) => {
      stdout += chunk
    })
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    feed(child.stdin, LINES)
    await new Promise((resolve) => child.on('close', resolve))
    expect(stdout).toMatch(/^\{"id":1,"ids":\[[\d,]+\],"count":\d+\}\n$/)
    expect(stderr).toBe('code 0\n')
  })
})
