import { NoSuchModelError, type ProviderV3 } from '@ai-sdk/provider'
import { SafetokensLanguageModel, type SafetokensModelOptions } from './language-model.js'

export interface SafetokensProvider extends ProviderV3 {
  /** @throws NoSuchModelError */
  (modelId: string): SafetokensLanguageModel
  languageModel(modelId: string): SafetokensLanguageModel
}

export interface SafetokensProviderOptions {
  /** Models by the names that `provider(name)` takes. */
  readonly models: Readonly<Record<string, SafetokensModelOptions>>
}

/**
 * A provider for the AI SDK. For one model, `safetokensModel` does.
 *
 * @example
 * const local = createSafetokens({ models: { qwen3: { chat, engine } } })
 * const { text } = await generateText({ model: local('qwen3'), prompt: question })
 */
export function createSafetokens({ models }: SafetokensProviderOptions): SafetokensProvider {
  const made = new Map<string, SafetokensLanguageModel>()
  const languageModel = (modelId: string): SafetokensLanguageModel => {
    const options = Object.hasOwn(models, modelId) ? models[modelId] : undefined
    if (options === undefined) throw new NoSuchModelError({ modelId, modelType: 'languageModel' })
    const model = made.get(modelId) ?? new SafetokensLanguageModel({ modelId, ...options })
    made.set(modelId, model)
    return model
  }
  const none = (modelType: 'embeddingModel' | 'imageModel') => (modelId: string) => {
    throw new NoSuchModelError({ modelId, modelType })
  }
  return Object.assign((modelId: string) => languageModel(modelId), {
    specificationVersion: 'v3' as const,
    languageModel,
    embeddingModel: none('embeddingModel'),
    imageModel: none('imageModel'),
  })
}

/**
 * One model for the AI SDK.
 *
 * @example const { text } = await generateText({ model: safetokensModel({ chat, engine }), prompt: question })
 */
export function safetokensModel(options: SafetokensModelOptions): SafetokensLanguageModel {
  return new SafetokensLanguageModel(options)
}
