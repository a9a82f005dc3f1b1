import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

/** Reads a file of test/chat/template/golden. */
export function readGolden<Golden>(name: string): Golden {
  return JSON.parse(gunzipSync(readFileSync(new URL(`./golden/${name}`, import.meta.url))).toString())
}
