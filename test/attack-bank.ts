// The bank is part of the package: users test their own formats with it.
export { payloads } from '../src/audit/bank/payloads.js'
export { type Placement, placements } from '../src/audit/bank/placements.js'
