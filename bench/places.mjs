// Where things lie.
import path from 'node:path'

export const root = path.resolve(import.meta.dirname, '..')
export const buildFolder = path.join(root, 'bench/build')
export const corpusFolder = path.join(buildFolder, 'corpus')
/** Data that no package ships; absent for most. */
export const sharedFolder = path.resolve(root, '../shared/data')
