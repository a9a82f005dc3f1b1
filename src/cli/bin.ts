#!/usr/bin/env node
import { main } from './main.js'

// `safetokens ... | head` closes the pipe early: that is not an error of ours.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
}
process.exitCode = await main(process.argv.slice(2), process)
