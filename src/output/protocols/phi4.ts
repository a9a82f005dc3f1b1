import type { ToolProtocol } from '../types.js'
import { jsonBetween } from './hermes.js'

/** Phi-4-mini: `<|tool_call|>[{"name": …, "arguments": …}]<|/tool_call|>`. */
export const phi4: ToolProtocol = jsonBetween('phi4', '<|tool_call|>', '<|/tool_call|>')
