import { createRequire } from 'node:module'
import { it } from 'vitest'
import { compileSplitPattern } from '../../src/load/split-pattern/compile.js'
import binding from '../../src/native.js'
function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => { state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296 } }
const { Tiktoken } = createRequire('/tmp/sp/x.js')('tiktoken')
const ranks: string[] = []
for (let i = 0; i < 256; i++) ranks.push(Buffer.from([i]).toString('base64'))
const BPE = '! 0 ' + ranks.join(' ')
const theirs = (p: string) => { const t = new Tiktoken(BPE, {}, p); return { run: (s: string) => Buffer.from(t.encode(s, [], [])).toString('utf8'), free: () => t.free() } }
const ours = (p: string) => { const n = new binding.NativeSplitPattern(compileSplitPattern(p, 'tiktoken')); return (s: string) => { const m = n.split(s); let o = ''; for (let i = 0; i < m.length; i += 2) o += s.slice(m[i], m[i + 1]); return o } }
it('classes', () => {
  for (const p of ['(?i:\\p{Lu})','(?i:\\P{Lu})','(?i:[\\P{Lu}])','(?i:\\u{1F600}|é)','[a-z&&[^aeiou]]','(?i:[^\\p{Lu}])','(?i)x|\\p{Ll}']) {
    let a, b
    try { a = theirs(p) } catch (e) { console.log('THEIRS', p, String(e).slice(0,200)); continue }
    try { b = ours(p) } catch (e) { console.log('OURS', p, String(e)); continue }
    let bad = 0, ex = ''
    for (let c = 1; c < 0x110000; c += 4096) { let s = ''; for (let i = c; i < c + 4096 && i < 0x110000; i++) if (i < 0xd800 || i > 0xdfff) s += String.fromCodePoint(i) + ''; const x = a.run(s), y = b(s); if (x !== y) { bad++; const X=new Set(x),Y=new Set(y); ex += [...X].filter(q=>!Y.has(q)).slice(0,5).map(q=>'-'+q.codePointAt(0)!.toString(16))+' '+[...Y].filter(q=>!X.has(q)).slice(0,5).map(q=>'+'+q.codePointAt(0)!.toString(16))+' ' } }
    a.free(); if (bad) console.log('DIFF', p, bad, ex.slice(0, 300))
  }
})
it('random', () => {
  const random = randomNumbers(5); let n = 0, skip = 0, panics = 0; const why = new Map<string, number>(); const wrong: string[] = []
  for (let i = 0; i < 6000; i++) {
    const p = randomPattern(random)
    let a, b
    try { b = ours(p) } catch (e) { skip++; const k = String(e).replace(/: "[^]*/, '').slice(0, 90); why.set(k, (why.get(k) ?? 0) + 1); continue }
    try { a = theirs(p) } catch (e) { skip++; const k='T '+String(e).slice(0,60); why.set(k, (why.get(k) ?? 0) + 1); continue }
    n++
    let ok = true
    for (let k = 0; k < 5; k++) { const text = Array.from({ length: 1 + random(9) }, () => 'aabbcA \n1é'[random(10)]).join(''); let x; try { x = a.run(text) } catch (e) { panics++; ok = false; break } const y = b(text); if (x !== y) wrong.push(p + ' ' + JSON.stringify({ text, y, x })) }
    if (ok) a.free()
  }
  console.log('RANDOM', n, skip, panics, [...why])
  wrong.sort((p, q) => p.length - q.length); console.log('WRONG', wrong.length, wrong.slice(0, 25).join('\n'))
}, 500000)
function randomNumbers(seed: number): (n: number) => number {
  const random = mulberry32(seed)
  return (n) => Math.floor(random() * n)
}

/** A pattern over a few letters that holds what the compiler knows. */
function randomPattern(random: (n: number) => number): string {
  const pick = (list: readonly string[]) => list[random(list.length)] as string
  const atom = (depth: number): string => {
    if (depth === 0 || random(3) === 0) {
      return pick([
        'a',
        'b',
        'c',
        'ab',
        ' ',
        '.',
        '\\w',
        '\\s',
        '\\d',
        '[ab]',
        '[^a]',
        '[a-c&&[^b]]',
        '\\p{L}',
        '\\p{Lu}',
        '\\n',
        '\\S',
        '[^\\s[b]]',
      ])
    }
    const body = alternatives(depth - 1)
    return pick([
      `(?:${body})`,
      `(?:${body})`,
      `(${body})`,
      `(?>${body})`,
      `(?i:${body})`,
      `(?=${body})`,
      `(?!${body})`,
      `(?<=${pick(['a', 'b', '[ab]', 'ab', '\\n', 'a|b', 'ab|c', '\\w\\s'])})`,
      `(?<!${pick(['a', 'b', '[ab]', 'ab', '\\n', 'a|b', 'ab|c', '\\w\\s'])})`,
    ])
  }
  const quantified = (depth: number): string => {
    const element = atom(depth)
    if (element.startsWith('(?=') || element.startsWith('(?!') || element.startsWith('(?<')) return element
    const whole = element.length === 2 && !element.startsWith('\\') ? `(?:${element})` : element
    // Oniguruma takes exponential time for loops in loops, and real `tokenizers` then ends the process.
    const loops = /^\((?!\?>).*(?:[*+]|,\})/.test(whole)
    const few = ['', '', '', '?', '??', '?+', '{2}', '{1,3}', '{0,2}?', '{2}?', '{,2}']
    return whole + pick(loops ? few : [...few, '*', '+', '*?', '+?', '*+', '++', '{2,}', '{2}+'])
  }
  const sequence = (depth: number): string =>
    Array.from({ length: 1 + random(3) }, () =>
      random(10) === 0 ? pick(['^', '$', '\\b', '\\B', '\\A', '\\z', '\\Z', '\\G']) : quantified(depth),
    ).join('')
  const alternatives = (depth: number): string =>
    Array.from({ length: 1 + random(3) }, () => sequence(depth)).join('|')
  return alternatives(1)
}
