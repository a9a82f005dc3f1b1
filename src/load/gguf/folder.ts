import { open } from 'node:fs/promises'
import { isGguf } from '../file-kinds.js'
import type { ModelFolder } from '../model-folder.js'
import type { GgufFile } from './gguf.js'

/** Whether a file is GGUF, by its first bytes: it may be too large to be read whole. */
export async function isGgufFile(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(new Uint8Array(4), 0, 4, 0)
    return bytesRead === 4 && isGguf(buffer)
  } finally {
    await file.close()
  }
}

/** What a GGUF file says in place of the files beside a tokenizer.json. */
export function ggufFolder(file: GgufFile): ModelFolder {
  const { source } = file.spec
  return {
    tokens: {
      named: new Map(Object.entries(file.specialTokens).map(([name, { text }]) => [name, text])),
      extra: [],
      listed: [],
      yields: false,
      special: [],
    },
    chatTemplates: new Map(
      Object.entries(file.chatTemplates).map(([name, text]) => [
        name,
        { text, source: `${source}: tokenizer.chat_template${name === 'default' ? '' : `.${name}`}` },
      ]),
    ),
    generationEos: file.eosTokenIds.map((id) => ({ id, source: 'gguf' })),
    limits: { modelMaxLength: undefined, maxPositionEmbeddings: file.contextLength },
    cleanUp: { spaces: false, bpeToo: false },
    modelType: file.architecture || undefined,
  }
}
