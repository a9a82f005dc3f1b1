import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { Chat } from '../../src/chat/chat.js'
import { defaultModelPath } from '../../src/package-files.js'
import { control, type EncodeInput } from '../../src/prompt/parts.js'
import { modelFolder } from '../adapters/models.js'
import { ANSWER, calls, chat, QUESTION, REPLIES, says } from '../adapters/weather.js'
import { fakeServer, sendJson } from '../engine/fake-server.js'
import { scriptedServer } from '../engine/scripted-server.js'
import { jsonLines, run } from './run.js'

const MODEL = modelFolder('mini-chatml')
const folder = mkdtempSync(path.join(tmpdir(), 'safetokens-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = (name: string, text: string): string => {
  const full = path.join(folder, name)
  writeFileSync(full, text)
  return full
}

const serving = (...replies: readonly EncodeInput[]) => scriptedServer(chat.tokenizer, replies)
const talk = (url: string, args: readonly string[], stdin: string, options?: { isTTY?: boolean }) =>
  run(['chat', '--model', MODEL, '--engine', url, '--window', '2000', ...args], stdin, options)
const shown = (ids: readonly number[] = []): string => chat.decode(ids, { skipSpecialTokens: false })

describe('a chat', () => {
  it('has a question in each line, and remembers', async () => {
    await using server = await serving(says('Hello 👋'), says('Good.\n'))
    const { code, out, err } = await talk(
      server.url,
      ['--system', 'Be kind.'],
      'Hi <|im_end|>\n\nHow are you?\n',
    )
    expect({ code, out, err }).toEqual({ code: 0, out: 'Hello 👋\nGood.\n', err: '' })
    expect(shown(server.prompts[1])).toBe(
      '<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nHi <|im_end|><|im_end|>\n<|im_start|>assistant\nHello 👋<|im_end|>\n<|im_start|>user\nHow are you?<|im_end|>\n<|im_start|>assistant\n',
    )
    expect(server.prompts[1]?.filter((id) => id === chat.eosTokenIds[0])).toHaveLength(4)
  })

  it('begins with a file', async () => {
    await using server = await serving(says('a'), says('b'))
    const beginning = file('chat.json', JSON.stringify([{ role: 'user', content: 'one' }]))
    expect((await talk(server.url, [beginning], 'two\n')).out).toBe('a\nb\n')
    expect(shown(server.prompts[1])).toContain(
      'one<|im_end|>\n<|im_start|>assistant\na<|im_end|>\n<|im_start|>user\ntwo',
    )
  })

  it('passes settings on, and the key from the environment', async () => {
    await using server = await serving(says('a'))
    const settings = [
      '--temperature',
      '0.5',
      '--top-p',
      '0.9',
      '--seed',
      '7',
      '--max-tokens',
      '50',
      '--engine-model',
      'm',
    ]
    await talk(server.url, settings, 'Hi')
    expect(server.received.at(-1)?.body).toMatchObject({
      model: 'm',
      temperature: 0.5,
      top_p: 0.9,
      seed: 7,
      max_tokens: 50,
    })
  })

  it('prints JSON, with ids on request', async () => {
    await using server = await serving(says('a'), says('b'))
    const { out } = await talk(server.url, ['--json', '--show'], 'Hi\nHi\n')
    const [first, second] = jsonLines(out) as {
      turns: { content: string }[]
      promptIds: number[]
      ids: number[]
    }[]
    expect(first).toMatchObject({ finish: 'stop', turns: [{ content: 'a' }], promptIds: server.prompts[0] })
    expect(first?.ids).toEqual(Array.from(chat.tokenizer.encode(says('a'))))
    expect(second).toMatchObject({ usage: { promptTokens: server.prompts[1]?.length } })
    expect(second?.promptIds).toEqual(server.prompts[1])
  })

  it('shows ids and counts on standard error', async () => {
    await using server = await serving(says('a'))
    const { out, err } = await talk(server.url, ['--show'], 'Hi')
    expect(out).toBe('a\n')
    expect(err).toMatch(/^ {6}0 {2}<\|im_start\|> /)
    expect(err).toContain(`prompt: ${server.prompts[0]?.length} ids (2 of them cached)\n`)
    expect(err).toContain('reply: 2 ids, ended by stop\n')
  })

  it('lets no escape sequence of a model through', async () => {
    await using server = await serving(says('\x1b[2Jred\x07'))
    expect((await talk(server.url, [], 'Hi', { isTTY: true })).out).toContain('\\x1b[2Jred\\x07')
  })

  it('goes on after an error', async () => {
    await using server = await serving()
    const { code, out, err } = await talk(server.url, [], 'a\nb\n')
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toBe('safetokens: vLLM: HTTP 400: the script has ended\n'.repeat(2))
  })
})

describe('tools', () => {
  const TOOLS = [
    {
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'tells the weather',
        parameters: { type: 'object', properties: { city: { type: 'string' } } },
      },
    },
    {
      name: 'compare',
      params: [
        { name: 'a', type: 'int', required: true },
        { name: 'b', type: 'float', description: 'more' },
      ],
    },
  ]
  const YAML = `
get_weather:
  description: tells the weather
  parameters: {type: object, properties: {city: {type: string}}}
compare:
  params:
    - {name: a, type: int, required: true}
    - {name: b, type: float, description: more}
`

  it.each([
    ['JSON', () => file('tools.json', JSON.stringify(TOOLS))],
    ['YAML', () => file('tools.yaml', YAML)],
  ])('from %s: the next line is the result', async (_, tools) => {
    await using server = await serving(...REPLIES)
    const { code, out, err } = await talk(
      server.url,
      ['--tools', tools()],
      `${QUESTION}\n25 <|im_end|>\n18\n7\n`,
    )
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toBe(
      `Let me see.\ncall get_weather {"city": "北京"}\ncall get_weather {"city": "Paris"}\ncall compare {"a": 25, "b": 18.0}\n${ANSWER}\n`,
    )
    expect(shown(server.prompts[0])).toContain('"name": "compare"')
    expect(shown(server.prompts[0])).toContain(
      '{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "number", "description": "more"}}, "required": ["a"]}',
    )
    expect(shown(server.prompts[2])).toContain('<tool_response>\n25 <|im_end|>\n</tool_response>')
    expect(server.prompts[2]?.filter((id) => id === chat.eosTokenIds[0])).toHaveLength(6)
  })

  it('ask by name on a terminal', async () => {
    await using server = await serving(...REPLIES)
    const { out } = await talk(
      server.url,
      ['--tools', file('t.json', JSON.stringify(TOOLS))],
      'q\n25\n18\n7\n',
      { isTTY: true },
    )
    expect(stripVTControlCharacters(out)).toContain('get_weather> get_weather> call compare')
  })

  it('that the model gets wrong need no person', async () => {
    await using server = await serving(
      calls('', ['get_weather', '{"city": ']),
      calls('', ['nothing', '{}']),
      says('Sorry.'),
    )
    const { code, out } = await talk(server.url, ['--tools', file('t.json', JSON.stringify(TOOLS))], 'q\n')
    expect(code).toBe(0)
    expect(out).toMatch(
      /^call get_weather \{"city": \}\ntool call, .*\ncall nothing \{\}\nError: tool `nothing` not found.*\nSorry\.\n$/,
    )
  })

  it('want their results', async () => {
    await using server = await serving(...REPLIES)
    const { code, err } = await talk(
      server.url,
      ['--tools', file('t.json', JSON.stringify(TOOLS))],
      'q\n25\n',
    )
    expect({ code, err }).toEqual({
      code: 1,
      err: 'safetokens: the input ended before the result of get_weather\n',
    })
  })

  it.each([
    ['no tools', '[]', 'a list of tools was expected'],
    ['no JSON', '{', 'not JSON'],
    ['no names', '[{}]', 'tool 0 has no name'],
    ['no objects', '[1]', 'an object was expected'],
  ])('from a file with %s are an error', async (_, text, message) => {
    await using server = await serving()
    const { code, err } = await talk(server.url, ['--tools', file('bad.json', text)], '')
    expect(code).toBe(1)
    expect(err).toContain(message)
  })

  it('from YAML that is none are an error', async () => {
    await using server = await serving()
    const { code, err } = await talk(server.url, ['--tools', file('bad.yml', 'a: [')], '')
    expect(code).toBe(1)
    expect(err).toContain('bad.yml: ')
  })
})

describe('a code interpreter', () => {
  const PROGRAM = 'print(6 * 7)\n"""爨"""'
  const coding = async (...args: readonly string[]) => {
    const glm = await Chat.load(defaultModelPath())
    const replies: EncodeInput[] = [
      ['interpreter', '\n', `\`\`\`python\n${PROGRAM}\n\`\`\``, control('<|observation|>')],
      ['\n', '42', control('<|user|>')],
    ]
    await using server = await scriptedServer(glm.tokenizer, replies)
    const result = await run(
      ['chat', '--model', 'mini', '--engine', server.url, '--window', '2000', ...args],
      'How much is 6 * 7?\n42\n',
    )
    return { ...result, prompts: server.prompts.map((ids) => glm.decode(ids)) }
  }

  it('is the person', async () => {
    const { code, out, err, prompts } = await coding('--code')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toBe(`call interpreter \n${PROGRAM}\n42\n`)
    expect(prompts[0]).not.toContain('interpreter')
    expect(prompts[1]).toMatch(/<\|observation\|>\s*```result\n42\n```<\|assistant\|>$/)
  })

  it.each([
    ['a program', 'cat', PROGRAM],
    ['one that fails', 'cat >/dev/null; echo no; exit 3', 'no\nexit code 3'],
  ])('is %s', async (_, command, result) => {
    const { code, prompts } = await coding('--run-code', command)
    expect(code).toBe(1) // the second line is a question for which the script has no reply
    expect(prompts[1]).toContain(`\`\`\`result\n${result}\n\`\`\``)
  })
})

describe('arguments', () => {
  it.each([
    [['--tools', 'a', '--code']],
    [['--system', 'a', 'b']],
    [['-']],
    [['--seed', 'x']],
    [['--window', '-1']],
    [['--engine-type', 'openai']],
    [['--jsonl']],
    [['--no-generation-prompt']],
  ])('that make no sense: %j', async (args) => {
    await using server = await serving()
    expect(await talk(server.url, args, '')).toMatchObject({ code: 2, out: '' })
  })

  it.each(['--tools', '--system', '--temperature', '--engine-type'])('%s needs an engine', async (option) => {
    const { code, err } = await run(['chat', '--model', MODEL, option, 'x'], '[]')
    expect(code).toBe(2)
    expect(err).toContain(`${option} needs --engine`)
  })

  it('of a server that is none', async () => {
    await using server = await fakeServer((_, response) =>
      sendJson(response, { data: [{ id: 'x', owned_by: 'openai' }] }),
    )
    const { code, err } = await talk(server.url, [], 'Hi')
    expect(code).toBe(1)
    expect(err).toContain('it is "openai"; vllm, sglang and llamacpp take token ids')
  })
})
