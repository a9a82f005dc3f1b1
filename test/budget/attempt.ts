import { SafetokensError } from '../../src/errors.js'

/** What `run` gives, or the error of ours that it throws. */
export function attempt<T>(run: () => T): T | SafetokensError {
  try {
    return run()
  } catch (error) {
    if (error instanceof SafetokensError) return error
    throw error
  }
}
