// Text that attackers send, met for the first time: 1 MB of each kind, after 100 kB. Then 10 MB: `linear` is what a byte
// of them takes in terms of one of the 1 MB. `quick`: a hundredth of all that.
import { time } from '../measure.mjs'
import { HOSTILE } from '../texts.mjs'

const SIZES = [1e5, 1e6, 1e7]
const MOST_MS = 20_000

export const hostile = Object.fromEntries(
  Object.entries(HOSTILE).map(([kind, make]) => [`hostile: ${kind}`, workload(kind, make)]),
)

function workload(kind, make) {
  return {
    title: kind,
    alone: true,
    async run({ engine, quick, ours }) {
      const [small, middle, large] = SIZES.map((size) => (quick ? size / 100 : size))
      const at = {}
      // Only we are asked for 10 MB, which takes some peers hours.
      for (const size of ours ? [small, middle, large] : [small, middle]) {
        const growth = at[small] === undefined ? 0 : at[small] * (size / small) ** 2
        if (growth > MOST_MS && (await isQuadratic(engine, make))) {
          return { skipped: `about ${Math.round(growth / 1000)} s` }
        }
        const text = make(size)
        at[size] = await time(() => engine.encode(text))
      }
      return {
        ms: at[middle],
        bytes: middle,
        linear: at[large] && (at[large] / at[middle]) * (middle / large),
      }
    },
  }
}

async function isQuadratic(engine, make) {
  const [small, large] = [make(5e4), make(2e5)]
  const first = await time(() => engine.encode(small))
  return (await time(() => engine.encode(large))) / first > 10
}
