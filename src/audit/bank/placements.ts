// Where a request can carry a text.
import type { ChatMessage } from '../../chat/messages.js'
import type { EncodeChatOptions } from '../../chat/prompt-maker.js'

/** A conversation with a payload in one place. */
export interface Placement {
  readonly place: string
  readonly messages: ChatMessage[]
  readonly options: EncodeChatOptions
}

/**
 * Every place of a request that a format or a template may write, each in a conversation of its own with the payload in
 * it. A format that has no place for a field refuses some of them.
 *
 * @example for (const { place, messages, options } of placements('<|im_end|>')) chat.encode(messages, options)
 */
export function placements(payload: string): Placement[] {
  const user = (content: ChatMessage['content'] = 'q'): ChatMessage => ({ role: 'user', content })
  const assistant = (more: Partial<ChatMessage> = {}): ChatMessage => ({
    role: 'assistant',
    content: 'a',
    ...more,
  })
  const system = (content = 's'): ChatMessage => ({ role: 'system', content })
  const tool = (more: Partial<ChatMessage> = {}): ChatMessage => ({
    role: 'tool',
    content: 'r',
    name: 'f',
    tool_call_id: 'call00000',
    ...more,
  })
  const call = (body: object, id = 'call00000') => [{ id, type: 'function', function: body }] as never
  const calling = (tool_calls: never): ChatMessage[] => [
    user(),
    assistant({ content: '', tool_calls }),
    tool(),
    assistant(),
    user(),
  ]
  const place = (name: string, messages: ChatMessage[], options: EncodeChatOptions = {}): Placement => ({
    place: name,
    messages,
    options,
  })
  const tools = (definition: object): EncodeChatOptions => ({
    tools: [
      { type: 'function', function: { name: 'f', description: 'd', parameters: PARAMETERS, ...definition } },
    ],
  })
  const parameters = (property: object, name = 'p') => ({
    parameters: { type: 'object', properties: { [name]: { type: 'string', ...property } } },
  })
  return [
    place('user content', [user(payload)]),
    place('user content, twice', [user(payload), assistant(), user(payload)]),
    place('first part of content', [
      user([
        { type: 'text', text: payload },
        { type: 'text', text: 'x' },
      ]),
    ]),
    place('second part of content', [
      user([
        { type: 'text', text: 'x' },
        { type: 'text', text: payload },
      ]),
    ]),
    place('system content', [system(payload), user()]),
    place('assistant content', [user(), assistant({ content: payload }), user()]),
    place('last assistant content', [user(), assistant({ content: payload })], {
      addGenerationPrompt: false,
    }),
    place('reasoning', [user(), assistant({ reasoning_content: payload })], { addGenerationPrompt: false }),
    place('earlier reasoning', [user(), assistant({ reasoning_content: payload }), user()]),
    place('metadata', [user(), assistant({ metadata: payload }), { role: 'observation', content: 'o' }]),
    place('observation', [user(), assistant({ metadata: 'f' }), { role: 'observation', content: payload }]),
    place('name of the user', [{ ...user(), name: payload }]),
    place('tool result', [
      ...calling(call({ name: 'f', arguments: {} })).slice(0, 2),
      tool({ content: payload }),
    ]),
    place('name of the tool', [
      ...calling(call({ name: 'f', arguments: {} })).slice(0, 2),
      tool({ name: payload }),
    ]),
    place('id of the answered call', [
      ...calling(call({ name: 'f', arguments: {} })).slice(0, 2),
      tool({ tool_call_id: payload }),
    ]),
    place('id of a call', calling(call({ name: 'f', arguments: {} }, payload))),
    place('name of a call', calling(call({ name: payload, arguments: {} }))),
    place('value of an argument', calling(call({ name: 'f', arguments: { a: payload } }))),
    place('nested value', calling(call({ name: 'f', arguments: { a: [{ b: payload }] } }))),
    place('key of an argument', calling(call({ name: 'f', arguments: { [payload]: 1 } }))),
    place('arguments as JSON', calling(call({ name: 'f', arguments: JSON.stringify({ a: payload }) }))),
    place('arguments that are no JSON', calling(call({ name: 'f', arguments: payload }))),
    place('name of a definition', [user()], tools({ name: payload })),
    place('description of a definition', [system(), user()], tools({ description: payload })),
    place('description of a property', [user()], tools(parameters({ description: payload }))),
    place('name of a property', [user()], tools(parameters({}, payload))),
    place('enum of a property', [user()], tools(parameters({ enum: ['x', payload] }))),
    place('default of a property', [user()], tools(parameters({ default: payload }))),
    place(
      'title, $ref and $comment',
      [user()],
      tools(parameters({ title: payload, $ref: payload, $comment: payload })),
    ),
    place('unknown key of a definition', [user()], tools({ [payload]: payload })),
    place('tools of a turn', [
      { ...system(), tools: [{ type: 'function', function: { name: 'f', description: payload } }] },
      user(),
    ]),
    place('documents', [user()], { documents: [{ title: payload, text: payload, contents: payload }] }),
    place('option', [user()], { templateOptions: { date_string: payload } }),
    place('options', [user()], {
      templateOptions: { custom_instructions: payload, model_identity: payload, system_message: payload },
    }),
  ]
}

const PARAMETERS = { type: 'object', properties: { p: { type: 'string', description: 'x' } } }
