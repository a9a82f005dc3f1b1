// The package as npm would pack it from here, after a build. scripts/check-package.mjs installs and uses it.
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import ts from 'typescript'
import { beforeAll, describe, expect, it } from 'vitest'

interface Manifest {
  version: string
  main: string
  types: string
  bin: Record<string, string>
  exports: unknown
  files: string[]
  scripts: Record<string, string>
  dependencies: Record<string, string>
  peerDependencies?: Record<string, string>
  devDependencies: Record<string, string>
}

const root = path.resolve(import.meta.dirname, '../..')
const at = (file: string): string => path.join(root, file)
const read = (file: string): string => readFileSync(at(file), 'utf8')
const manifest = JSON.parse(read('package.json')) as Manifest
const dist = filesIn('dist').filter((file) => /\.[cm][jt]s$/.test(file))

function filesIn(folder: string): string[] {
  return readdirSync(at(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
}

/** The strings at the ends of `exports`. */
function targets(entry: unknown): string[] {
  return typeof entry === 'string' ? [entry] : Object.values(entry as object).flatMap(targets)
}

describe('package.json', () => {
  it.each([manifest.main, manifest.types, ...targets(manifest.exports), ...Object.values(manifest.bin)])(
    'has %s',
    (file) => {
      expect(existsSync(at(file))).toBe(true)
    },
  )

  it('has every entry of files, but for the binaries that only a release holds', () => {
    const entries = manifest.files.filter((entry) => entry !== 'prebuilds')
    expect(entries.filter((entry) => !existsSync(at(entry)) && !entry.includes('*'))).toEqual([])
  })

  it('has programs that a shell can start', () => {
    for (const file of Object.values(manifest.bin)) expect(read(file)).toMatch(/^#!\/usr\/bin\/env node\n/)
  })

  it('runs nothing when it is installed', () => {
    expect(Object.keys(manifest.scripts)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/install$/)]),
    )
    expect(manifest).toHaveProperty('gypfile', false)
  })

  it('pins exact versions', () => {
    const versions = Object.values({ ...manifest.dependencies, ...manifest.devDependencies })
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
  })

  it('agrees with the lock file, which names no registry, and with the command line', async () => {
    const lock = JSON.parse(read('package-lock.json'))
    expect(lock.version).toBe(manifest.version)
    expect(lock.packages['']).toMatchObject({
      dependencies: manifest.dependencies,
      devDependencies: manifest.devDependencies,
    })
    expect(read('package-lock.json')).not.toContain('"resolved"')
    const { stdout } = await promisify(execFile)(process.execPath, [
      at(manifest.bin.safetokens ?? ''),
      '--version',
    ])
    expect(stdout).toBe(`${manifest.version}\n`)
  })
})

describe('dist', () => {
  it.each(dist)('%s imports only what is there when the package is installed', (file) => {
    const { importedFiles, referencedFiles } = ts.preProcessFile(read(file), true, true)
    for (const { fileName } of [...importedFiles, ...referencedFiles]) {
      if (fileName.startsWith('.')) {
        // A declaration imports declarations, some of which have no module beside them.
        const target = /\.d\.[cm]ts$/.test(file) ? fileName.replace(/\.([cm])js$/, '.d.$1ts') : fileName
        expect(existsSync(at(path.join(path.dirname(file), target))), fileName).toBe(true)
      } else if (!isBuiltin(fileName)) {
        const [scope = '', name] = fileName.split('/')
        const dependency = scope.startsWith('@') ? `${scope}/${name}` : scope
        const installed = { ...manifest.dependencies, ...manifest.peerDependencies }
        expect(Object.keys(installed), fileName).toContain(dependency)
      }
    }
  })

  it.each([
    ['index', ['Chat', 'Tokenizer', 'control', 'trusted', 'runTools', 'vllmEngine']],
    ['langchain', ['ChatSafetokens']],
    ['ai-sdk', ['createSafetokens', 'safetokensModel']],
  ])('%s exports the same names to import and to require', async (name, some) => {
    const required = createRequire(import.meta.url)(at(`dist/${name}.cjs`)) as object
    const imported = (await import(pathToFileURL(at(`dist/${name}.mjs`)).href)) as object
    expect(Object.keys(required).sort()).toEqual(Object.keys(imported).sort())
    expect(Object.keys(imported)).toEqual(expect.arrayContaining(some))
  })

  it('reads no more than its core when it is imported', async () => {
    const program = `require(${JSON.stringify(at('dist/index.cjs'))}); console.log(Object.keys(require.cache).join('\\n'))`
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', program])
    const files = stdout.trim().split('\n')
    const read = files.filter((file) => file.startsWith(at('dist'))).map((file) => path.basename(file))
    expect(read.sort()).toEqual(['core.cjs', 'index.cjs'])
    expect(files.filter((file) => /bufbuild|oniguruma/.test(file))).toEqual([])
  })

  it('has one library, whatever way it is loaded', async () => {
    const program = `
      import { createRequire } from 'node:module'
      import * as imported from ${JSON.stringify(pathToFileURL(at('dist/index.mjs')).href)}
      const required = createRequire(import.meta.url)(${JSON.stringify(at('dist/index.cjs'))})
      console.log(Object.keys(imported).filter((name) => imported[name] !== required[name]).join())`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
    expect(stdout).toBe('\n')
  })

  it('gives bundlers a module that they can follow, with the same names', async () => {
    expect(manifest).toHaveProperty(['exports', '.', 'import', 'module'], './dist/bundled.mjs')
    expect(read('dist/bundled.mjs')).not.toContain('createRequire')
    const program = `
      const modules = ['bundled', 'index'].map((name) => import('./' + name + '.mjs'))
      const [bundled, imported] = await Promise.all(modules)
      const names = Object.keys(imported)
      console.log(names.filter((name) => bundled[name] !== imported[name]).join(), names.length > 50)`
    const args = ['--input-type=module', '-e', program]
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: at('dist') })
    expect(stdout).toBe(' true\n')
  })

  it.each(['langchain', 'ai-sdk'])('%s has no classes of the library a second time', (name) => {
    for (const extension of ['cjs', 'mjs']) {
      expect(read(`dist/${name}.${extension}`)).not.toMatch(/class (SafetokensError|EngineError|Tokenizer)\b/)
    }
  })
})

describe('npm pack', () => {
  let packed: string[]
  beforeAll(async () => {
    const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: root,
      shell: process.platform === 'win32',
    })
    const [report] = Object.values(JSON.parse(stdout)) as { files: { path: string }[] }[]
    packed = (report?.files ?? []).map((file) => file.path)
  }, 60_000)

  it('takes nothing along that test/package/allowed-files.json does not name', () => {
    const allowed = new RegExp(`^(?:${JSON.parse(read('test/package/allowed-files.json')).join('|')})$`)
    expect(packed.filter((file) => !allowed.test(file))).toEqual([])
  })

  it('leaves nothing behind that is needed', () => {
    const needed = [
      ...targets(manifest.exports).map((file) => path.posix.normalize(file)),
      ...dist,
      ...[
        'native/core',
        'native/platform',
        'native/binding',
        'models/mini-chatglm3',
        'models/mini-chatml',
      ].flatMap(filesIn),
      ...['binding.cjs', 'binding.d.cts', 'binding.gyp', 'LICENSE', 'scripts/build-native.cjs'],
    ]
    expect(needed.filter((file) => !packed.includes(file))).toEqual([])
  })
})
