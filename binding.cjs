'use strict'
// build/Release first (a local build), then prebuilds/<platform>-<arch>.
try {
  module.exports = require('node-gyp-build')(__dirname)
} catch (cause) {
  throw new Error(
    `safetokens has no native binary for ${process.platform}-${process.arch}. ` +
      'Build one with: npx safetokens-build (needs a C++20 compiler and Python 3).',
    { cause },
  )
}
