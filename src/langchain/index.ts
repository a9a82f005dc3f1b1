export {
  ChatSafetokens,
  type ChatSafetokensCallOptions,
  type ChatSafetokensInput,
} from './chat-safetokens.js'
