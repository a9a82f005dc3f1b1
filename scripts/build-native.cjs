#!/usr/bin/env node
'use strict'
// Builds build/Release/safetokens.node. Developers get CMake (by way of cmake-js, a devDependency);
// an installed copy without cmake-js gets the node-gyp that npm brings. Neither downloads headers.
//   node scripts/build-native.cjs [--tool=cmake|gyp] [--debug] [--quiet] [-- extra arguments for the tool]
const { spawnSync } = require('node:child_process')
const { existsSync } = require('node:fs')
const path = require('node:path')

const root = path.resolve(__dirname, '..')
const separator = process.argv.indexOf('--')
const argv = process.argv.slice(2, separator < 0 ? undefined : separator)
const rest = separator < 0 ? [] : process.argv.slice(separator + 1)
const wanted = argv.find((a) => a.startsWith('--tool='))?.slice('--tool='.length)
const debug = argv.includes('--debug')
const quiet = argv.includes('--quiet')

if (argv.includes('--help')) {
  console.log(
    'safetokens-build [--tool=cmake|gyp] [--debug] [--quiet]: builds the native addon from its sources',
  )
} else {
  const tool = wanted ?? (cmakeJs() && onPath('cmake') ? 'cmake' : 'gyp')
  process.exitCode = tool === 'cmake' ? buildWithCmakeJs() : buildWithNodeGyp()
}

function buildWithCmakeJs() {
  const cli = cmakeJs()
  if (!cli) return fail('cmake-js is not installed: run npm ci')
  const args = [cli, 'compile', '--log-level', quiet ? 'error' : 'warn', '--parallel', '2']
  return spawn(process.execPath, [...args, ...(debug ? ['--debug'] : []), ...rest])
}

function buildWithNodeGyp() {
  const cli = nodeGyp()
  if (!cli) return fail('node-gyp was not found: run this through npm or npx (npx safetokens-build)')
  // node-gyp's own headers would be a download: native/gyp stands in for them.
  const headers = process.platform === 'win32' ? [] : [`--nodedir=${path.join(root, 'native', 'gyp')}`]
  const args = [cli, 'rebuild', `--loglevel=${quiet ? 'error' : 'warn'}`, ...headers]
  return spawn(process.execPath, [...args, ...(debug ? ['--debug'] : []), ...rest])
}

function cmakeJs() {
  try {
    return path.join(path.dirname(require.resolve('cmake-js/package.json')), 'bin', 'cmake-js')
  } catch {
    return undefined
  }
}

function nodeGyp() {
  // npm tells its scripts where its own node-gyp is; outside npm look beside the running node.
  const candidates = [
    process.env.npm_config_node_gyp,
    path.resolve(process.execPath, '../../lib/node_modules/npm/node_modules/node-gyp/bin/node-gyp.js'),
    path.resolve(process.execPath, '../node_modules/npm/node_modules/node-gyp/bin/node-gyp.js'),
  ]
  return candidates.find((p) => p && existsSync(p))
}

function onPath(command) {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0
}

/** Quiet: the tool's output is only shown when it fails. */
function spawn(command, args) {
  // `npm --silent` would otherwise hide node-gyp's reasons for failing.
  const env = { ...process.env, npm_config_loglevel: 'warn' }
  const stdio = quiet ? 'pipe' : 'inherit'
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    stdio,
    env,
    encoding: 'utf8',
  })
  if (error) return fail(error.message)
  if (status !== 0 && quiet) console.error(`${stdout}${stderr}`)
  return status ?? 1
}

function fail(message) {
  console.error(`safetokens: cannot build the native addon: ${message}`)
  return 1
}
