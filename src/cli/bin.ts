#!/usr/bin/env node
// `safetokens ... | head` closes the pipe early: that is not an error of ours.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
}

try {
  // Not imported above: where the addon is missing, its message should stand alone, without a stack.
  const { main } = await import('./main.js')
  process.exitCode = await main(process.argv.slice(2), process)
} catch (error) {
  if (!(error instanceof Error) || !error.message.startsWith('safetokens')) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(1) // at once: Node would report the failed import a second time
}
