import { EventEmitter } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { main } from '../../src/cli/main.js'
import { print } from '../../src/cli/output.js'

/** A stream whose reader is slow. */
class Slow extends EventEmitter {
  written: string[] = []
  write(text: string): boolean {
    this.written.push(text)
    return false
  }
}

it('waits for a slow reader', async () => {
  const stream = new Slow()
  let done = false
  const printing = print(stream, 'a').then(() => {
    done = true
  })
  await setImmediate()
  expect(done).toBe(false)
  stream.emit('drain')
  await printing
  expect(stream.eventNames()).toEqual([])
})

it('does not wait for a stream that has no drain, or takes more', async () => {
  await print({ write: () => false }, 'a')
  const stream = Object.assign(new EventEmitter(), { write: () => true })
  await print(stream, 'a')
})

it('fails when the stream ends instead', async () => {
  const stream = new Slow()
  const closed = print(stream, 'a')
  stream.emit('close')
  await expect(closed).rejects.toMatchObject({ code: 'OUTPUT_CLOSED' })
  const broken = print(stream, 'a')
  stream.emit('error', new Error('EPIPE'))
  await expect(broken).rejects.toThrow('EPIPE')
  expect(stream.eventNames()).toEqual([])
})

it('reads no further while the reader of the answers is behind', async () => {
  const stdout = new Slow()
  let given = 0
  async function* stdin() {
    for (; given < 3; given++) yield '"x"\n'
  }
  const io = { stdin: stdin(), stdout, stderr: { write: () => {} } }
  const running = main(['count', '--model', 'mini', '--jsonl'], io)
  while (stdout.written.length === 0) await setImmediate()
  for (let i = 0; i < 10; i++) await setImmediate()
  expect({ given, written: stdout.written.length }).toEqual({ given: 0, written: 1 })
  while (stdout.written.length < 3) {
    stdout.emit('drain')
    await setImmediate()
  }
  stdout.emit('drain')
  expect(await running).toBe(0)
})
