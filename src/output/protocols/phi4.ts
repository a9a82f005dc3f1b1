import type { ToolProtocol } from '../types.js'
import { jsonBetween } from './hermes.js'

/** Phi-4-mini: `<|tool_call|>[{"name": …, "arguments": …}]<|/tool_call|>`, or the same behind the word `functools`. */
export const phi4: ToolProtocol = jsonBetween('phi4', ['<|tool_call|>', 'functools'], '<|/tool_call|>')
