import { chat, chatAgain, chatSession, chatSessionFirst } from './chat.mjs'
import { decode, stream } from './decode.mjs'
import { count, fresh, messages, messagesWithoutMemo, one, replay, replayWithoutMemo } from './encode.mjs'
import { hostile } from './hostile.mjs'
import { load, memory } from './load.mjs'
import { batch, workers } from './threads.mjs'

/**
 * @typedef {object} Workload
 * @property {string} title
 * @property {boolean} [alone] each round runs in a process of its own
 * @property {boolean} [perCall] `ms` is that of one call
 * @property {boolean} [oursOnly]
 * @property {boolean} [chats] its peers are those of chats
 * @property {(engine) => boolean} [needs] what an engine must have
 * @property {(context) => Promise<object>} run one round: `ms` and `bytes`, or `skipped`
 */

/** @type {Record<string, Workload>} */
export const WORKLOADS = {
  load,
  fresh,
  replay,
  'replay, no memo': replayWithoutMemo,
  messages,
  'messages, no memo': messagesWithoutMemo,
  one,
  count,
  decode,
  stream,
  batch,
  chat,
  'chat again': chatAgain,
  'chat session': chatSession,
  'chat session, first': chatSessionFirst,
  ...hostile,
  workers,
  memory,
}
