// npm run pack:native: copies the built addon to prebuilds/<platform>-<arch>/, named as node-gyp-build looks it up,
// and strips it there.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, statSync } from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const { platform, arch } = process
const STRIP = { linux: ['--strip-all'], darwin: ['-Sx'] }

const source = path.join(root, 'build', 'Release', 'safetokens.node')
if (!existsSync(source)) fail('build/Release/safetokens.node is missing: run "npm run build:native" first')
const name = platform === 'linux' ? `safetokens.${libc()}.node` : 'safetokens.node'
const target = path.join(root, 'prebuilds', `${platform}-${arch}`, name)
mkdirSync(path.dirname(target), { recursive: true })
copyFileSync(source, target)
if (STRIP[platform]) {
  const { status, error } = spawnSync('strip', [...STRIP[platform], target], { stdio: 'inherit' })
  if (status !== 0) fail(`strip failed: ${error?.message ?? `exit code ${status}`}`)
}
console.log(`${path.relative(root, target)}: ${statSync(target).size} bytes`)

/** Node knows the glibc that it runs on; on musl it knows none. */
function libc() {
  process.report.excludeNetwork = true // looking host names up can take seconds
  return process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl'
}

function fail(message) {
  console.error(`prebuild: ${message}`)
  process.exit(1)
}
