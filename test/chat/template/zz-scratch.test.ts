import { writeFileSync } from 'node:fs'
import { it } from 'vitest'
import { JinjaOracle } from '../../conformance/jinja-oracle.js'
import { contextOf, render } from './rendered.js'

const NOW = '2026-11-30T12:34:56'
it('x', { timeout: 6000000 }, async () => {
  const o = new JinjaOracle()
  const bad: any[] = []
  let n = 0
  let crash = 0
  const from = Number(process.env.FROM ?? 1),
    seeds = Number(process.env.SEEDS ?? 5)
  const kinds: any = {}
  for (let seed = from; seed < from + seeds; seed++) {
    const groups = await o.ask<any[]>({ op: 'templates', seed, count: 1000 })
    for (const g of groups) {
      const c = contextOf(g.variables)
      for (const k of g.cases) {
        n++
        const theirs = k.error
          ? {
              error:
                k.error.kind === 'raised'
                  ? { kind: 'raised', message: k.error.message }
                  : { kind: k.error.kind },
            }
          : k.generations.length
            ? { output: k.output, generations: k.generations }
            : k.output
        let ours: any
        try {
          ours = render(k.source, c, NOW)
        } catch (e) {
          ours = { crash: String((e as Error).stack).slice(0, 300) }
          crash++
        }
        if (ours?.error) kinds[ours.error.kind] = (kinds[ours.error.kind] ?? 0) + 1
        else kinds.ok = (kinds.ok ?? 0) + 1
        if (JSON.stringify(theirs) !== JSON.stringify(ours))
          bad.push({
            source: k.source,
            variables: g.variables,
            theirs,
            ours,
            error: k.error,
            len: k.source.length,
          })
      }
    }
  }
  o.close()
  bad.sort((a, b) => a.len - b.len)
  writeFileSync('/tmp/j1/bad.json', JSON.stringify(bad))
  console.log({ n, bad: bad.length, crash, kinds })
})
