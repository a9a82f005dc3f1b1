import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, vi } from 'vitest'
import { modelPath } from '../../src/cli/model-option.js'
import { defaultModelPath } from '../../src/cli/package-files.js'

vi.mock(import('node:fs'), async (original) => {
  const fs = await original()
  return { ...fs, existsSync: (file) => fs.existsSync(path.resolve(cwd.path, String(file))) }
})
const cwd = vi.hoisted(() => ({ path: '.' })) // threads have no chdir

it('takes mini for the model of this package, unless something of that name is here', () => {
  expect(modelPath('encode', 'mini')).toBe(defaultModelPath())
  expect(modelPath('encode', './mini')).toBe('./mini')
  cwd.path = mkdtempSync(path.join(tmpdir(), 'safetokens-'))
  try {
    expect(modelPath('encode', 'mini')).toBe(defaultModelPath())
    mkdirSync(path.join(cwd.path, 'mini'))
    expect(modelPath('encode', 'mini')).toBe('mini')
  } finally {
    rmSync(cwd.path, { recursive: true })
  }
})
