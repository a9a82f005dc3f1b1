import type { ToolProtocol } from '../types.js'
import { FIRST_LINE_MARKS, FirstLineReader } from './first-line.js'

/** GLM-4: a line with the name of the tool, and its arguments as JSON. */
export const glm4: ToolProtocol = {
  name: 'glm4',
  marks: FIRST_LINE_MARKS,
  idsOnly: FIRST_LINE_MARKS,
  reader: (context) => new FirstLineReader(context, { dummyPrefix: 0, callBegins: ['{'], ownTools: [] }),
}
