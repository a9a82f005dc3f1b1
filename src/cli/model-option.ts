import { existsSync } from 'node:fs'
import { UsageError } from './command.js'
import { defaultModelPath } from './package-files.js'

/** Line of help for `--model`. */
export const MODEL_HELP: string =
  '--model MODEL  a model folder or a SentencePiece .model file; "mini" is the small model of this package'

/**
 * The path that `--model` means. `mini` is the model of this package, unless something of that name lies here.
 *
 * @throws UsageError when the option is missing
 */
export function modelPath(command: string, value: string | undefined): string {
  if (value === undefined) {
    throw new UsageError(
      `${command} needs --model MODEL: a model folder or a .model file. ` +
        'To try it, "--model mini" is models/mini-chatglm3 of this package',
    )
  }
  return value === 'mini' && !existsSync(value) ? defaultModelPath() : value
}
