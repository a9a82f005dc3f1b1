// Copies the built addon to prebuilds/<platform>-<arch>/, named as node-gyp-build looks it up, and strips it.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, statSync } from 'node:fs'
import path from 'node:path'

const { platform, arch } = process
const libc = platform === 'linux' ? (existsSync('/etc/alpine-release') ? '.musl' : '.glibc') : ''
const source = path.join('build', 'Release', 'safetokens.node')
const target = path.join('prebuilds', `${platform}-${arch}`, `safetokens${libc}.node`)

mkdirSync(path.dirname(target), { recursive: true })
copyFileSync(source, target)
if (platform === 'linux') spawnSync('strip', ['--strip-all', target], { stdio: 'inherit' })
if (platform === 'darwin') spawnSync('strip', ['-Sx', target], { stdio: 'inherit' })
console.log(`${target} ${statSync(target).size} bytes`)
