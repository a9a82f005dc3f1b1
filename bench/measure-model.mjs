// All workloads of one model: peers take turns, each in its own process.
import { clock } from './machine.mjs'
import { CHAT_PEERS, PEERS } from './peers.mjs'
import { PeerProcess } from './process.mjs'
import { WORKLOADS } from './workloads/index.mjs'

const COMPILED = 'safetokens compiled'
/** A peer whose round takes longer has only one of them. */
const SLOW_MS = 20_000
/** What is kept of each round. */
const PER_ROUND = ['memory', 'p50', 'p99', 'linear']

/** @returns {Promise<{ name, kind, exact, cells }>} cells: `workload`, `peer`, `ms` of each round and what else came */
export async function measureModel(model, { peers, workloads, rounds, quick, hasLimit, log }) {
  const encoders = peers.filter((name) => PEERS[name]?.takes(model))
  const chatters =
    model.folder === undefined ? [] : Object.keys(CHAT_PEERS).filter((name) => peers.includes(name))
  const processes = new Map()
  const processOf = (peer, kind, alone) => {
    const options = { peer, model, quick, chats: kind === 'chat', threads: kind === 'threads' }
    if (alone) return new PeerProcess(options)
    const key = `${kind} ${peer}`
    if (!processes.has(key)) processes.set(key, new PeerProcess(options))
    return processes.get(key)
  }
  try {
    const exact = await compareIds(model, encoders, chatters, processOf, log)
    const cells = []
    for (const name of workloads) {
      const workload = WORKLOADS[name]
      const kind = workload.chats ? 'chat' : name === 'batch' ? 'threads' : 'encode'
      const takers = workload.chats ? chatters : encoders.filter((peer) => takes(name, workload, peer, exact))
      cells.push(...(await measureWorkload(name, workload, takers, kind)))
    }
    return { name: model.name, kind: model.kind, exact, cells }
  } finally {
    for (const process of processes.values()) process.end()
  }

  async function measureWorkload(name, workload, takers, kind) {
    const cells = takers.map((peer) => ({ workload: name, peer, ms: [] }))
    const most = Math.min(rounds, workload.rounds ?? rounds)
    const stamp = () => (hasLimit ? [clock()] : [])
    const stamps = stamp()
    for (let round = 0; round < most; round++) {
      // Each round begins with another peer.
      for (let i = 0; i < cells.length; i++) {
        const cell = cells[(i + round) % cells.length]
        if (cell.failed || cell.skipped || cell.lacks || cell.ms.at(-1) > SLOW_MS) continue
        const process = processOf(cell.peer, kind, workload.alone)
        const { ms, ...rest } = await process.ask(name)
        if (workload.alone) process.end()
        if (ms !== undefined) cell.ms.push(ms)
        for (const [key, value] of Object.entries(rest)) {
          cell[key] = PER_ROUND.includes(key) ? [...(cell[key] ?? []), value] : value
        }
      }
      stamps.push(...stamp())
    }
    log(
      `${model.name}: ${name}: ${cells.map(({ peer, ms, failed }) => `${peer} ${failed ?? short(ms)}`).join(', ')}`,
    )
    return cells.filter(({ lacks }) => !lacks).map((cell) => ({ ...cell, clock: stamps }))
  }
}

const short = (ms) =>
  ms.length === 0 ? '-' : `${ms.toSorted((a, b) => a - b)[ms.length >> 1].toPrecision(3)} ms`

/** A compiled model is the same engine: only loading it is another matter. */
function takes(name, workload, peer, exact) {
  if (exact[peer]?.failed) return false
  if (peer === COMPILED) return name === 'load'
  if (PEERS[peer].workloads && !PEERS[peer].workloads.includes(name)) return false
  return !workload.oursOnly || peer === 'safetokens'
}

/** For each peer how many texts get other ids than the reference's. */
async function compareIds(model, encoders, chatters, processOf, log) {
  const found = new Map()
  for (const peer of encoders) found.set(peer, await processOf(peer, 'encode').ask('ids'))
  const ours = found.get('safetokens')
  const reference = found.get(model.reference)?.ids ?? ours.ids
  const exact = {}
  for (const [peer, answer] of found) {
    if (answer.failed) {
      exact[peer] = { failed: answer.failed }
      continue
    }
    const compared = answer.ids.map((_, i) => i).filter((i) => !ours.spelled?.[i])
    const differ = compared.filter((i) => answer.ids[i] !== reference?.[i]).length
    exact[peer] = { differ, texts: compared.length, spelled: answer.ids.length - compared.length }
  }
  const chats = []
  for (const peer of chatters) chats.push([peer, await processOf(peer, 'chat').ask('ids')])
  const first = chats.find(([, answer]) => answer.ids)?.[1].ids
  for (const [peer, answer] of chats) {
    const key = `chat: ${peer}`
    exact[key] = answer.failed
      ? { failed: answer.failed }
      : { differ: answer.ids.filter((hash, i) => hash !== first[i]).length, texts: answer.ids.length }
  }
  for (const [peer, { failed, differ, texts }] of Object.entries(exact)) {
    if (failed) log(`${model.name}: ${peer} FAILED: ${failed}`)
    else if (differ > 0) log(`${model.name}: ${peer}: ids of ${differ} of ${texts} texts DIFFER`)
  }
  return exact
}
