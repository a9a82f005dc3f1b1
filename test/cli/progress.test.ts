import { expect, it } from 'vitest'
import { ProgressBar } from '../../src/cli/progress.js'

function bar(isTTY: boolean, times: readonly number[]) {
  let out = ''
  let at = 0
  const stream = { isTTY, write: (text: string) => (out += text) }
  return { bar: new ProgressBar(stream, () => times[at++] ?? 0), out: () => out }
}

it('draws on one line of a terminal, not too often, and takes the line away', () => {
  const { bar: progress, out } = bar(true, [0, 50, 200, 201])
  progress.update('things', 1, 4)
  progress.update('things', 2, 4)
  progress.update('things', 3, 4)
  progress.update('MB read', 7, 0)
  progress.end()
  progress.end()
  expect(out().split('\r\x1b[K')).toEqual([
    '',
    '[######..................] 25 % things 1 of 4',
    '[##################......] 75 % things 3 of 4',
    '7 MB read',
    '',
  ])
})

it('writes nothing elsewhere', () => {
  const { bar: progress, out } = bar(false, [])
  progress.update('things', 1, 4)
  progress.end()
  expect(out()).toBe('')
})
