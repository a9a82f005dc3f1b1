// The one place that loads the addon.
import binding from '../binding.cjs'

/** A value of its own: a default that is only passed on is looked up anew in each file of `dist`, where it is none. */
const native: typeof binding = binding

export default native
