import { InvalidArgumentError } from '../../errors.js'
import { ControlToken } from '../../prompt/parts.js'
import type { ContentItem } from '../messages.js'
import type { PromptWriter } from '../prompt-writer.js'
import { jsonText } from '../python-json.js'
import { plainTexts } from './content.js'
import type { ChatFormat, ChatRequest } from './format.js'
import {
  FUNCTION_NAME,
  orderViolations,
  type Rules,
  systemPrompt,
  type Turn,
  turnsOf,
} from './mistral-turns.js'
import { type FunctionTool, functionTools, jsonOf } from './tools.js'

/*
 * Source of behaviour for all versions: the validators, normalizers and instruct tokenizers of mistral-common 1.13.1.
 * Its generation prompt is empty: `[/INST]` and the end of results say who is next. It encodes each text between control
 * tokens by a call of its own, which the cuts say. A `.model` file needs most of them not, but a `tokenizer.json` would
 * begin the text behind a control token without its space.
 */

const BOS = '<s>'
const EOS = '</s>'
/** Between texts of a turn, turns of a role, and the system prompt and its question. */
const JOIN = '\n\n'

/**
 * Mistral v1: `<s>[INST] question [/INST]answer</s>`, the system prompt in the first question. `[INST]` is plain text
 * here, which content can imitate; `<s>` and `</s>` are ids and cannot be forged.
 */
export const mistralV1: ChatFormat = {
  name: 'mistral-v1',
  guarantee: 'textual',
  markers: ['[INST]', '[/INST]'],
  controlTokens: [BOS, EOS],
  roles: ['system', 'user', 'assistant'],
  fields: [],
  takesTools: false,
  stopTokens: [EOS],
  padToken: undefined,
  decodesCommands: true,
  mergeableRoles: [],
  independentRounds: true,

  write(request, writer) {
    const turns = turnsOf(request, { systemTurns: false, callIds: false })
    const system = systemPrompt(request.messages)
    const first = turns.findIndex(({ role }) => role === 'user')
    writer.control(BOS)
    turns.forEach((turn, i) => {
      writer.cut()
      if (turn.role === 'assistant') {
        writeKnown(turn, writer, () => {
          writer.beginAssistant(turn.joined ? undefined : turn.index)
          writeContent(turn.content, writer)
          writeEnd(turn, writer)
        })
      } else {
        writer.trusted('[INST] ')
        writeQuestion(turn, i === first ? system : [], writer)
        writer.trusted(' [/INST]')
      }
    })
  },

  orderViolations,
}

/** What a version does its own way. */
interface Version extends Rules {
  /** Calls and results before the last question stay. */
  readonly history: boolean
  writeResult(turn: Turn, writer: PromptWriter): void
}

/** Mistral v2: `[INST]` is an id; calls and results before the last question are left out. */
export const mistralV2: ChatFormat = withTools('mistral-v2', {
  systemTurns: false,
  callIds: false,
  history: false,
  writeResult(turn, writer) {
    const { index, name } = turn
    writer.trusted('[{"name": ')
    if (name === undefined) writer.trusted('null')
    else writer.trusted('"').data(name, `messages[${index}].name`).trusted('"')
    writer.trusted(', "content": ').data(jsonResult(turn), `messages[${index}].content`).trusted('}]')
  },
})

const V3: Version = {
  systemTurns: false,
  callIds: true,
  history: true,
  writeResult(turn, writer) {
    writer.trusted('{"content": ').data(jsonResult(turn), `messages[${turn.index}].content`)
    writer.trusted(', "call_id": "')
    writeCallId(turn, writer)
    writer.trusted('"}')
  },
}

/** Mistral v3: as v2 with the whole history, in which calls have ids of nine letters or digits. */
export const mistralV3: ChatFormat = withTools('mistral-v3', V3)

/** Mistral v3 over a `tekken.json`: Nemo, Pixtral. */
export const mistralV3Tekken: ChatFormat = {
  ...mistralV3,
  name: 'mistral-v3-tekken',
  padToken: '<pad>',
}

/** Mistral v7: as v3 with system turns, text beside calls, and results as they are. */
export const mistralV7: ChatFormat = {
  ...withTools('mistral-v7', {
    systemTurns: true,
    callIds: true,
    history: true,
    writeResult(turn, writer) {
      writeCallId(turn, writer)
      writer.control('[TOOL_CONTENT]').cut()
      writeContent(turn.content, writer)
    },
  }),
  controlTokens: [...mistralV3.controlTokens, '[SYSTEM_PROMPT]', '[/SYSTEM_PROMPT]', '[TOOL_CONTENT]'],
}

/** Mistral v7 over a `tekken.json`: Mistral Small 3. */
export const mistralV7Tekken: ChatFormat = {
  ...mistralV7,
  name: 'mistral-v7-tekken',
  padToken: '<pad>',
}

function withTools(name: string, version: Version): ChatFormat {
  return {
    ...mistralV1,
    name,
    guarantee: 'reserved-ids',
    markers: undefined,
    controlTokens: [BOS, EOS, '[INST]', '[/INST]', '[AVAILABLE_TOOLS]', '[/AVAILABLE_TOOLS]'].concat([
      '[TOOL_CALLS]',
      '[TOOL_RESULTS]',
      '[/TOOL_RESULTS]',
    ]),
    roles: ['system', 'user', 'assistant', 'tool'],
    fields: ['tool_calls'],
    takesTools: true,
    toolProtocol: 'mistral',
    write: (request, writer) => writeVersion(request, version, writer),
  }
}

function writeVersion(request: ChatRequest, version: Version, writer: PromptWriter): void {
  const { messages, tools } = request
  const turns = turnsOf(request, version)
  const system = version.systemTurns ? [] : systemPrompt(messages)
  const last = turns.findLastIndex(({ role }) => role === 'user')
  /** Where the tools stand, and in older versions the system prompt. */
  const place = request.asSeen ? turns.findIndex(({ role }) => role === 'user') : last
  const functions = tools ? functionTools(tools) : []
  if (functions.length > 0 && last < 0) {
    throw new InvalidArgumentError('tools stand at the last user turn of this format, and there is none')
  }
  writer.control(BOS)
  turns.forEach((turn, i) => {
    const kept = version.history || request.asSeen || i > last
    if (turn.role === 'system') {
      writer.control('[SYSTEM_PROMPT]').cut()
      writeContent(turn.content, writer)
      writer.control('[/SYSTEM_PROMPT]')
    } else if (turn.role === 'user') {
      if (functions.length > 0 && i === place) writeTools(functions, writer)
      writer.control('[INST]').cut()
      writeQuestion(turn, i === place ? system : [], writer)
      writer.control('[/INST]')
    } else if (turn.role === 'assistant') {
      if (kept || turn.calls.length === 0) {
        writeKnown(turn, writer, () => writeAnswer(turn, version, writer))
      } else if (turn.fault && !request.remembers(turn.index)) throw turn.fault
    } else if (kept) {
      writer.control('[TOOL_RESULTS]').cut()
      version.writeResult(turn, writer)
      writer.control('[/TOOL_RESULTS]')
    }
  })
}

/** Definitions as the reference's classes print them: three fields in this order, and nothing else. */
function writeTools(functions: readonly FunctionTool[], writer: PromptWriter): void {
  writer.control('[AVAILABLE_TOOLS]').cut()
  functions.forEach(({ name, description, parameters, path }, i) => {
    if (!FUNCTION_NAME.test(name)) {
      throw new InvalidArgumentError(`${path}.name: letters, digits, _ and - were expected, at most 64`)
    }
    const definition = new Map<string, unknown>([
      ['name', name],
      ['description', description],
      ['parameters', parameters ?? {}],
    ])
    writer.trusted(`${i > 0 ? ', ' : '['}{"type": "function", "function": `)
    writer.data(jsonOf(definition, path, 0), path).trusted('}')
  })
  writer.trusted(']').control('[/AVAILABLE_TOOLS]')
}

function writeQuestion({ content }: Turn, system: readonly ContentItem[], writer: PromptWriter): void {
  if (system.length > 0) {
    writeContent(system, writer)
    writer.trusted(JOIN)
    // Content with images is a list to the reference, and each text in it a call of its own.
    if (content.some(({ part }) => ControlToken.is(part))) writer.cut()
  }
  writeContent(content, writer)
}

/** What the reference refuses stands as a model wrote it, or not at all. */
function writeKnown({ fault }: Turn, writer: PromptWriter, write: () => void): void {
  if (fault === undefined) write()
  else if (!writer.recalled(write)) throw fault
}

function writeAnswer(turn: Turn, version: Version, writer: PromptWriter): void {
  const { calls } = turn
  writer.cut().beginAssistant(turn.joined ? undefined : turn.index)
  writeContent(withoutTrailingSpaces(turn.content), writer)
  if (calls.length > 0) writer.control('[TOOL_CALLS]').cut()
  calls.forEach((call, i) => {
    const at = `${call.path}.arguments`
    writer.trusted(i > 0 ? ', {"name": "' : '[{"name": "').data(call.name, `${call.path}.name`)
    const given = call.rawArguments === undefined ? call.arguments : parsed(call.rawArguments)
    writer.trusted('", "arguments": ').data(jsonOf(given, at, turn.index), at)
    if (version.callIds && call.id !== undefined) {
      writer.trusted(', "id": "').data(call.id, `${call.path}.id`).trusted('"')
    }
    writer.trusted(i < calls.length - 1 ? '}' : '}]')
  })
  writeEnd(turn, writer)
}

function writeEnd({ open }: Turn, writer: PromptWriter): void {
  if (!open) writer.control(EOS)
  writer.endAssistant()
}

function writeCallId({ index, callId = '' }: Turn, writer: PromptWriter): void {
  writer.data(callId, `messages[${index}].tool_call_id`)
}

/** Texts with an empty line between them; beside a control token there is none. */
function writeContent(items: readonly ContentItem[], writer: PromptWriter): void {
  items.forEach(({ part, path }, i) => {
    const previous = items[i - 1]
    if (previous && !ControlToken.is(previous.part) && !ControlToken.is(part)) writer.trusted(JOIN)
    writer.part(part, path)
  })
}

/** `rstrip(' ')` of v2 and later; what is left of the last text keeps its place, even if it is nothing. */
function withoutTrailingSpaces(content: readonly ContentItem[]): readonly ContentItem[] {
  const last = content.at(-1)
  if (typeof last?.part !== 'string') return content
  let end = last.part.length
  while (last.part[end - 1] === ' ') end--
  return [...content.slice(0, -1), { ...last, part: last.part.slice(0, end) }]
}

/** The result of a tool as JSON: what parses is a value, all else a string. */
function jsonResult(turn: Turn): string {
  const text = plainTexts(turn).join(JOIN)
  return jsonOf(text === '' ? {} : parsed(text), `messages[${turn.index}].content`, turn.index)
}

/** What Python's `json.loads` reads, else the text itself. */
function parsed(text: string): unknown {
  try {
    return jsonText(text, { nan: true })
  } catch (error) {
    if (error instanceof InvalidArgumentError) return text
    throw error
  }
}
