import { it } from 'vitest'
import { audit } from '../src/audit/audit.js'

it('x', async () => {
  for (const m of (process.env.M ?? 'models/mini-chatml').split(',')) {
    const t = performance.now()
    const r = await audit(m)
    console.log(
      m,
      Math.round(performance.now() - t),
      JSON.stringify(r.summary),
      JSON.stringify(r.identity, null, 1),
    )
    for (const f of r.findings) console.log(f.level, f.rule, f.message, f.line ?? '')
    if (process.env.V) console.log(JSON.stringify(r.chat, null, 1))
  }
}, 600000)
