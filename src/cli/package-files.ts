export { defaultModelPath, packageVersion } from '../package-files.js'
