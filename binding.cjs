'use strict'
// build/Release first (a local build), then prebuilds/<platform>-<arch>.
// For developers: SAFETOKENS_BINARY is the path of a .node file to load instead, such as a sanitized build.
const { SAFETOKENS_BINARY } = process.env
if (SAFETOKENS_BINARY) {
  process.dlopen(module, require('node:path').resolve(SAFETOKENS_BINARY))
} else {
  try {
    module.exports = require('node-gyp-build')(__dirname)
  } catch (cause) {
    const system = `${process.platform}-${process.arch}`
    const what = cause.message.startsWith('No native build')
      ? `has no native binary for ${system}`
      : `cannot load its native binary for ${system} (${cause.message.split('\n', 1)[0]})`
    throw new Error(
      `safetokens ${what}. Build one with: npx safetokens-build (needs a C++20 compiler and Python 3).`,
      { cause },
    )
  }
}
