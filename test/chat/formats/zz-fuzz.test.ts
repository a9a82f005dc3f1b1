import { readFileSync } from 'node:fs'
import { it } from 'vitest'
import { chatOf, idsOf } from './encoder-golden.js'
const D = '/tmp/mini/venv/lib/python3.11/site-packages/mistral_common/data'
const F: Record<string, [string, string]> = {
  v1: ['mistral-v1', `${D}/tokenizer.model.v1`],
  v2: ['mistral-v2', `${D}/mistral_instruct_tokenizer_240216.model.v2`],
  v3: ['mistral-v3', `${D}/mistral_instruct_tokenizer_240323.model.v3`],
  v7: ['mistral-v7', `${D}/mistral_instruct_tokenizer_241114.model.v7`],
  'v3-tekken': ['mistral-v3-tekken', `${D}/tekken_240718.json`],
  'v7-tekken': ['mistral-v7-tekken', `${D}/tekken_240718.json`],
}
it('fuzz', { timeout: 600000 }, () => {
  const chats = Object.fromEntries(Object.entries(F).map(([v, [f, p]]) => [v, chatOf(readFileSync(p), f)]))
  const stat: Record<string, number> = {}
  const shown: Record<string, number> = {}
  for (const line of readFileSync('/tmp/formats/fuzz.jsonl', 'utf8').trim().split('\n')) {
    const c = JSON.parse(line)
    for (const [v, r] of Object.entries<any>(c.results)) {
      for (const [e, x] of Object.entries<any>(r)) {
        const o: any = e === 'plain' ? { addGenerationPrompt: false } : e === 'continue' ? { continueFinalMessage: true } : {}
        if (v !== 'v1') o.tools = c.tools
        let ours: any, err = ''
        try { ours = [...chats[v]!.encode(c.messages, o).ids] } catch (error: any) { err = error.message; if (!error.code) throw error }
        const k = x.ids ? (ours ? (String(ours) === String(x.ids) ? 'same' : 'DIFF') : `REFUSE ${err.replace(/.*?: /, '').slice(0, 60)}`) : ours ? `TAKE ${x.error.slice(0, 100)}` : 'both refuse'
        stat[`${v} ${k}`] = (stat[`${v} ${k}`] ?? 0) + 1
        if (k === 'DIFF' && (shown[v] = (shown[v] ?? 0) + 1) < 3) console.log(v, e, JSON.stringify({ messages: c.messages, tools: c.tools }), '\nOURS', chats[v]!.render(c.messages, o), '\nREF', chats[v]!.tokenizer.decode(x.ids))
      }
    }
  }
  console.log(JSON.stringify(stat, null, 1))
})
