'use strict'
// build/Release first (a local build), then prebuilds/<platform>-<arch>.
// For developers: SAFETOKENS_BINARY is the path of a .node file to load instead, such as a sanitized build.
const { existsSync } = require('node:fs')
const path = require('node:path')

const { env, platform, arch } = process
if (env.SAFETOKENS_BINARY) {
  process.dlopen(module, path.resolve(env.SAFETOKENS_BINARY))
} else if (!loadFromUsualPlace()) {
  try {
    module.exports = require('node-gyp-build')(__dirname)
  } catch (cause) {
    const system = `${platform}-${arch}`
    const what = cause.message.startsWith('No native build')
      ? `has no native binary for ${system}`
      : `cannot load its native binary for ${system} (${cause.message.split('\n', 1)[0]})`
    throw new Error(
      `safetokens ${what}. Build one with: npx safetokens-build (needs a C++20 compiler and Python 3).`,
      { cause },
    )
  }
}

/**
 * Where node-gyp-build finds it on most machines: its search takes three milliseconds, a fifth of importing the package.
 * False where it may decide otherwise, and where loading fails, which it tells about.
 */
function loadFromUsualPlace() {
  const variables = [
    'PREBUILDS_ONLY',
    'SAFETOKENS_PREBUILD',
    'LIBC',
    'ARM_VERSION',
    'npm_config_platform',
    'npm_config_arch',
  ]
  if (variables.some((name) => env[name]) || existsSync('/etc/alpine-release')) return false
  const prebuilt = platform === 'linux' ? 'safetokens.glibc.node' : 'safetokens.node'
  const places = [
    path.join(__dirname, 'build', 'Release', 'safetokens.node'),
    path.join(__dirname, 'prebuilds', `${platform}-${arch}`, prebuilt),
  ]
  const file = places.find((place) => existsSync(place))
  if (file === undefined) return false
  try {
    process.dlopen(module, file)
    return true
  } catch {
    return false
  }
}
