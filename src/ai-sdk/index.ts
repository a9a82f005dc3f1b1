export { SafetokensLanguageModel, type SafetokensModelOptions } from './language-model.js'
export {
  createSafetokens,
  type SafetokensProvider,
  type SafetokensProviderOptions,
  safetokensModel,
} from './provider.js'
