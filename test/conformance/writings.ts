export { WRITINGS } from '../../src/audit/bank/writings.js'
