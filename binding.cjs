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
    throw new Error(
      `safetokens has no native binary for ${process.platform}-${process.arch}. ` +
        'Build one with: npx safetokens-build (needs a C++20 compiler and Python 3).',
      { cause },
    )
  }
}
