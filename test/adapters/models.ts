import path from 'node:path'

/** A model of this package. */
export function modelFolder(name: 'mini-chatml' | 'mini-chatglm3'): string {
  return path.resolve(import.meta.dirname, '../../models', name)
}
