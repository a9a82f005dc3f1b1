import { INTERPRETER, TOOL_CALL_FUNCTION } from '../../chat/formats/chatglm3.js'
import { ToolCallParseError } from '../../errors.js'
import { type CallArguments, objectOf } from '../call-arguments.js'
import { lastFence } from '../fences.js'
import { pythonCall, pythonLiteral } from '../python-literal.js'
import type { ToolProtocol } from '../types.js'
import { FIRST_LINE_MARKS, FirstLineReader } from './first-line.js'

/**
 * ChatGLM3: a line with the name of the tool, and a fence with `tool_call(key=value)` in Python. A turn of `interpreter`
 * is a call with the argument `code`: the last fenced block.
 *
 * Source of behaviour: `process_response` in modeling_chatglm.py, and tools_using_demo of THUDM/ChatGLM3@b0b4e8ac; code is
 * read by a parser for literals, never evaluated.
 */
export const chatglm3: ToolProtocol = {
  name: 'chatglm3',
  marks: FIRST_LINE_MARKS,
  idsOnly: FIRST_LINE_MARKS,
  reader: (context) =>
    new FirstLineReader(context, {
      dummyPrefix: 1,
      callBegins: ['```', `${TOOL_CALL_FUNCTION}(`],
      ownTools: [INTERPRETER],
      read: chatglm3Arguments,
    }),
}

/**
 * The arguments of a call as ChatGLM3 writes them.
 *
 * @throws ToolCallParseError with the position in `raw`
 */
export function chatglm3Arguments(name: string, raw: string): CallArguments {
  const fence = lastFence(raw)
  if (fence === 'open') throw new ToolCallParseError('expected the end of the fence', raw, raw.length)
  const { begin, end } = fence ?? { begin: 0, end: raw.length }
  if (name === INTERPRETER) return { code: raw.slice(begin, end).replace(/\n$/, '') }
  const code = raw.slice(0, end)
  try {
    if (/^\s*\{/.test(raw.slice(begin, end))) return objectOf(pythonLiteral(code, begin), raw)
    const call = pythonCall(code, begin)
    if (call.name === TOOL_CALL_FUNCTION || call.name === name) return call.arguments
    throw new ToolCallParseError(`expected ${TOOL_CALL_FUNCTION}(…), not ${call.name}(…)`, raw, begin)
  } catch (error) {
    if (!(error instanceof ToolCallParseError)) throw error
    throw new ToolCallParseError(error.reason, raw, error.position, { cause: error })
  }
}
