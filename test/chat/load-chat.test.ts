// How Chat.load chooses, on folders made of the models that come with the package.
import { cpSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { Chat } from '../../src/chat/chat.js'
import { chatFormat, chatFormats, registerChatFormat } from '../../src/chat/formats/registry.js'
import { ChatFormatError, InvalidArgumentError } from '../../src/errors.js'
import { ModelFolders } from '../fixtures/model-folder.js'
import { byteLevelJson } from '../fixtures/tokenizer-json.js'

const models = path.resolve(import.meta.dirname, '../../models')
const folders = new ModelFolders()
afterAll(() => folders.remove())
const folderOf = (files: Record<string, unknown>): string => folders.make(files)

const TURNS = '{% for m in messages %}<|im_start|>{{ m.content }}<|im_end|>{% endfor %}'
const CHATML_JSON = byteLevelJson({ added: ['<|im_start|>', '<|im_end|>'] })
const user = { role: 'user', content: 'hi' }

describe('Chat.load', () => {
  it("takes the folder's own chat template and stop ids", async () => {
    const chat = await Chat.load(path.join(models, 'mini-chatml'))
    expect(chat.format).toBe('template')
    expect(chat.guarantee).toBe('reserved-ids')
    expect(chat.eosTokens).toEqual([
      { id: 8002, source: 'generation_config.json' },
      { id: 8000, source: 'generation_config.json' },
    ])
    expect(chat.padTokenId).toBe(8000)
    expect(chat.render([user])).toBe('<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n')
  })

  it('takes a built-in format over it, and joins the stop ids', async () => {
    const chat = await Chat.load(path.join(models, 'mini-chatml'), { format: 'chatml' })
    expect(chat.format).toBe('chatml')
    expect(chat.eosTokens).toEqual([
      { id: 8002, source: 'format' },
      { id: 8000, source: 'generation_config.json' },
    ])
  })

  it("takes ChatGLM's format for its tokenizer class, whatever template there is", async () => {
    const folder = folderOf({})
    cpSync(path.join(models, 'mini-chatglm3'), folder, { recursive: true })
    writeFileSync(path.join(folder, 'chat_template.jinja'), TURNS)
    expect((await Chat.load(folder)).format).toBe('chatglm3')
  })

  it("takes the caller's template, by source or by name", async () => {
    const folder = folderOf({
      'tokenizer.json': CHATML_JSON,
      'tokenizer_config.json': {
        eos_token: '<|im_end|>',
        chat_template: [
          { name: 'default', template: `default${TURNS}` },
          { name: 'tool_use', template: `tools${TURNS}` },
          { name: 'rag', template: `rag${TURNS}` },
        ],
      },
    })
    const rendered = async (options: Parameters<typeof Chat.load>[1], tools?: unknown) =>
      (await Chat.load(folder, options)).render([user], { tools })
    expect(await rendered({})).toMatch(/^default/)
    expect(await rendered({}, [{ type: 'function' }])).toMatch(/^tools/)
    expect(await rendered({ templateName: 'rag' }, [{ type: 'function' }])).toMatch(/^rag/)
    expect(await rendered({ chatTemplate: `mine${TURNS}` })).toMatch(/^mine/)
    await expect(rendered({ templateName: 'none' })).rejects.toThrow(/there is default, tool_use, rag/)
    await expect(rendered({ templateName: 'rag', format: 'chatml' })).rejects.toThrow(InvalidArgumentError)
    expect((await Chat.load(folder)).eosTokens).toEqual([
      { id: expect.any(Number), source: 'tokenizer_config.json' },
    ])
  })

  it('recognises a format by the vocabulary where there is no template', async () => {
    const chat = await Chat.load(
      folderOf({
        'tokenizer.json': byteLevelJson({ added: ['<bos>', '<eos>', '<start_of_turn>', '<end_of_turn>'] }),
      }),
      {
        format: 'gemma3',
      },
    )
    expect(chat.format).toBe('gemma3')
    const llama = chatFormat('llama3')
    const base = folderOf({
      'tokenizer.json': byteLevelJson({ added: [...llama.controlTokens, '<|end_of_text|>'] }),
    })
    expect((await Chat.load(base)).format).toBe('llama3')
  })

  it('says what to do about a base model, and about a wrong format', async () => {
    const base = folderOf({ 'tokenizer.json': byteLevelJson({ added: ['<|endoftext|>'] }) })
    await expect(Chat.load(base)).rejects.toThrow(
      /may be a base model. Give \{ format \}.*\{ chatTemplate \}/,
    )
    await expect(Chat.load(base)).rejects.toBeInstanceOf(ChatFormatError)
    await expect(Chat.load(base, { format: 'llama3' })).rejects.toThrow(/lacks <\|begin_of_text\|>/)
    await expect(Chat.load(base, { chatTemplate: TURNS })).rejects.toThrow(
      /lacks <\|im_start\|> <\|im_end\|>/,
    )
    const two = folderOf({ 'tokenizer.json': CHATML_JSON })
    await expect(Chat.load(two)).rejects.toThrow(/fits the formats chatml, smollm2/)
  })

  it('reserves what the template writes, if it has a letter and is no text of the model', async () => {
    const added = [
      { content: 'TURN:', special: false },
      { content: '\n\n', special: false },
      { content: 'unused', special: false },
    ]
    const folder = folderOf({
      'tokenizer.json': byteLevelJson({ added }),
      'tokenizer_config.json': {
        chat_template: '{% for m in messages %}TURN:\n\n{{ m.content }}{% endfor %}',
      },
    })
    const chat = await Chat.load(folder)
    expect(chat.tokenizer.reserved).toEqual([
      { id: expect.any(Number), name: 'TURN:', reason: 'written by the chat template' },
    ])
    const id = chat.tokenizer.getCommand('TURN:')
    expect(
      chat.encode([{ role: 'user', content: 'TURN:\n\nunused' }]).ids.filter((each) => each === id),
    ).toHaveLength(1)
  })
})

describe('registerChatFormat', () => {
  it('makes a format of one’s own known by name', async () => {
    const own = {
      ...chatFormat('chatml'),
      name: 'my-chatml',
      roles: ['system', 'user', 'assistant', 'critic'],
    }
    registerChatFormat(own)
    expect(chatFormats().map(({ name }) => name)).toContain('my-chatml')
    const chat = await Chat.load(path.join(models, 'mini-chatml'), { format: 'my-chatml' })
    expect(chat.render([user, { role: 'critic', content: 'no' }], { onInvalid: 'ignore' })).toContain(
      '<|im_start|>critic\nno',
    )
    expect(() => registerChatFormat(own)).toThrow(/exists already/)
    expect(() => registerChatFormat({ name: 'x' } as never)).toThrow(/guarantee, controlTokens, roles/)
  })
})
