// The results as Markdown.
import { median, spread } from './measure.mjs'
import { WORKLOADS } from './workloads/index.mjs'

const OURS = 'safetokens'

export function markdown(results) {
  const { date, cpu, cpus, memory, system, node, rounds, versions, commit, texts, limit, models } = results
  const lines = [
    `# Benchmark of ${date.slice(0, 16).replace('T', ' ')} UTC, commit ${commit}`,
    '',
    `${cpus} x ${cpu}, ${memory}, ${system}, Node ${node}. Median of ${rounds} rounds ± (slowest - fastest) / median; peers take turns.`,
    `${texts.documents} documents of ${mega(texts.bytes)} MB, ${texts.messages} messages of ${mega(texts.messageBytes)} MB (UTF-8).`,
    `Versions: ${Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')}.`,
  ]
  if (limit) {
    lines.push(
      `The limit (a loop that splits and looks up, on the same documents): ${figure(limit.bytes / 1e3 / median(limit.ms))} MB/s ±${percent(spread(limit.ms))}.`,
    )
  }
  for (const model of models) lines.push('', ...modelTables(model, limit))
  return `${lines.join('\n')}\n`
}

function modelTables({ name, kind, exact, cells }, limit) {
  const lines = [`## ${name} (${kind})`, '', ...exactness(exact), '']
  lines.push(
    '| workload | peer | figure | ± | safetokens is | ids | GHz |',
    '|---|---|---:|---:|---:|---|---|',
  )
  for (const workload of new Set(cells.map((cell) => cell.workload))) {
    const rows = cells.filter((cell) => cell.workload === workload)
    const ours = rows.find(({ peer }) => peer === OURS)
    for (const cell of rows.sort((a, b) => time(a) - time(b))) lines.push(row(cell, ours, exact))
    const whole = cells.find((cell) => cell.workload === 'chat' && cell.peer === OURS)
    if (workload.startsWith('chat session') && whole?.ms.length && ours?.ms.length) {
      const ratio = median(whole.ms) / median(ours.ms)
      lines.push(`| | encoding it all | ${value(whole)} | | ${figure(ratio)} x as fast | | |`)
    }
    if (workload.startsWith('replay') && limit && ours?.ms.length) {
      const ratio = median(limit.ms) / limit.bytes / (median(ours.ms) / ours.bytes)
      lines.push(
        `| | the limit | ${figure(limit.bytes / 1e3 / median(limit.ms))} MB/s | | ${ratio.toFixed(2)} of it | | |`,
      )
    }
  }
  return lines
}

function exactness(exact) {
  return Object.entries(exact).map(([peer, { failed, differ, texts, spelled }]) => {
    if (failed) return `- ${peer}: **fails**: ${failed}`
    const beside = spelled > 0 ? ` (beside ${spelled} that spell a reserved token)` : ''
    return `- ${peer}: ${differ === 0 ? `same ids for all ${texts}` : `**other ids for ${differ} of ${texts}**`}${beside}`
  })
}

function row(cell, ours, exact) {
  const { peer, workload, ms, failed, skipped, clock } = cell
  const { title, chats } = WORKLOADS[workload]
  const { differ } = exact[chats ? `chat: ${peer}` : peer] ?? {}
  const ids = differ ? '**differ**' : ''
  if (failed ?? skipped)
    return `| ${title} | ${peer} | ${failed ? `fails: ${failed}` : `skipped: ${skipped}`} | | | ${ids} | |`
  const ratio = peer === OURS || !ours?.ms.length ? '' : `${figure(median(ms) / median(ours.ms))} x as fast`
  const hertz = clock.length > 0 ? `${Math.min(...clock)}–${Math.max(...clock)}` : ''
  return `| ${title} | ${peer} | ${value(cell)} | ${spread(ms) > 0 ? `±${percent(spread(ms))}` : ''} | ${ratio} | ${ids} | ${hertz} |`
}

function value({ workload, ms, bytes, p50, p99, memory, linear, marks }) {
  const { perCall } = WORKLOADS[workload]
  const middle = median(ms)
  const parts = []
  if (marks) return `${figure(median(memory))} MB after load; resident ${marks.join(', ')} MB`
  if (p50) parts.push(`${micro(middle)} mean, ${micro(median(p50))} p50, ${micro(median(p99))} p99`)
  else if (perCall || !bytes || linear !== undefined || workload.startsWith('hostile'))
    parts.push(middle < 0.1 ? micro(middle) : `${figure(middle)} ms`)
  else parts.push(`${figure(bytes / 1e3 / middle)} MB/s`)
  if (memory) parts.push(`+${figure(median(memory))} MB`)
  if (workload.startsWith('hostile')) parts.push(`for ${bytes / 1000} kB`)
  if (linear?.[0]) parts.push(`${figure(median(linear))} x as much a byte in ten times as much`)
  return parts.join(', ')
}

const time = ({ ms }) => (ms.length === 0 ? Number.POSITIVE_INFINITY : median(ms))
const mega = (bytes) => (bytes / 1e6).toFixed(1)
const micro = (ms) => `${figure(ms * 1000)} µs`
const percent = (x) => `${Math.round(x * 100)} %`
const figure = (x) => (x >= 100 ? x.toFixed(0) : x >= 10 ? x.toFixed(1) : x.toFixed(2))
