// Servers that answer as vLLM, llama.cpp and SGLang do, each with a safe tokenizer or with the usual one.
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ServerApi } from '../../src/audit/server/server-api.js'
import { loadChat } from '../../src/chat/load-chat.js'
import type { ChatMessage } from '../../src/chat/messages.js'
import type { EncodeChatOptions } from '../../src/chat/prompt-maker.js'
import { promptText } from '../../src/chat/prompt-writer.js'
import { trusted } from '../../src/prompt/parts.js'

export interface FakeServer {
  readonly url: string
  /** Method and path of each request. */
  readonly asked: readonly string[]
  close(): Promise<void>
}

interface Body extends Pick<EncodeChatOptions, 'tools'> {
  readonly messages?: readonly ChatMessage[]
  readonly add_generation_prompt?: boolean
  readonly chat_template_kwargs?: Readonly<Record<string, unknown>>
  readonly prompt?: string
  readonly content?: string
}

/**
 * @param kind `redirects`: it sends its readers to another address
 * @param tokenize in place of our tokenizer with all text trusted
 */
export async function fakeServer(
  api: ServerApi,
  kind: 'safe' | 'unsafe' | 'redirects' | 'broken',
  model: string,
  tokenize?: (text: string) => readonly number[],
): Promise<FakeServer> {
  const { tokenizer, prompts } = await loadChat(model, {})
  const asked: string[] = []
  // A server that is safe although it passes prompts as strings keeps what it rendered.
  const rendered = new Map<string, Uint32Array>()
  const ids = (text: string): number[] =>
    Array.from(
      (kind === 'safe' ? rendered.get(text) : undefined) ??
        (tokenize ? tokenize(text) : tokenizer.encode(trusted(text))),
    )
  const conversation = (body: Body): string => {
    const { documents, ...templateOptions } = body.chat_template_kwargs ?? {}
    const options: EncodeChatOptions = {
      onInvalid: 'ignore',
      documents,
      templateOptions,
      tools: body.tools,
      addGenerationPrompt: body.add_generation_prompt,
    }
    const { prompt } = prompts.prompt(body.messages ?? [], options)
    const text = promptText(prompt, (id) => tokenizer.controlName(id))
    rendered.set(text, tokenizer.encodePacked(prompt))
    return text
  }
  const signs: Readonly<Record<ServerApi, readonly [path: string, answer: object]>> = {
    vllm: ['/version', { version: '0.12.0' }],
    'llama.cpp': ['/props', { default_generation_settings: {}, total_slots: 1 }],
    sglang: ['/get_model_info', { model_path: 'x' }],
  }
  const answer = (path: string, body: Body): object | undefined => {
    if (path === signs[api][0]) return signs[api][1]
    if (path === '/apply-template' && api === 'llama.cpp') return { prompt: conversation(body) }
    if (path !== '/tokenize') return undefined
    if (kind === 'broken') return { tokens: 'none' }
    if (api === 'vllm') {
      const tokens = ids(conversation(body))
      return { count: tokens.length, max_model_len: 4096, tokens }
    }
    return { tokens: ids((api === 'sglang' ? body.prompt : body.content) ?? '') }
  }
  const server = createServer(async (request, response) => {
    asked.push(`${request.method} ${request.url}`)
    if (kind === 'redirects') {
      response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()
      return
    }
    try {
      const json = answer(request.url ?? '', await bodyOf(request))
      response.writeHead(json === undefined ? 404 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(json ?? { error: 'not found' }))
    } catch (error) {
      response.writeHead(400).end(JSON.stringify({ error: String(error) }))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, asked, close: () => closed(server) }
}

async function bodyOf(request: IncomingMessage): Promise<Body> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text === '' ? {} : (JSON.parse(text) as Body)
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
