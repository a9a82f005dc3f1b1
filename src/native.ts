// The one place that loads the addon. It lies one folder below the root, as dist does, so that the path holds in both.
export { default } from '../binding.cjs'
