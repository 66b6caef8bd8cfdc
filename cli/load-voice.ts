// What `petvet load` says on standard error: its plan, and a line for what it does.

import type { RunOptions, RunSink } from '../engine/run-options.ts'
import { planAll, planOf } from '../load/scenario.ts'
import { visible } from '../reports/visible.ts'
import type { LoadCommandSettings } from './load-settings.ts'
import { table } from './table.ts'

const timeOf = (seconds: number): string =>
  seconds < 120 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`

/** What will be done, before anything is. */
export const tellPlan = (settings: LoadCommandSettings, target: RunOptions): void => {
  if (settings.quiet) return
  const planned = planAll(settings.scenarios, planOf(target, settings.load))
  const runs = planned.filter(({ lack }) => lack === null)
  const sum = (of: 'requests' | 'seconds') => runs.reduce((total, { cost }) => total + cost[of], 0)
  // Each run begins with a call with each key.
  const first = runs.length === 0 ? 0 : target.keys.length
  const [head, ...lines] = table([
    ['scenario', 'requests', 'time'],
    ...planned.map(({ scenario, lack, cost }) =>
      lack === null ? [scenario.id, String(cost.requests), timeOf(cost.seconds)] : [scenario.id],
    ),
    ['in all, at most', String(sum('requests') + first), `about ${timeOf(sum('seconds'))}`],
  ])
  const width = Math.max(...[head, ...lines].map((line) => line?.length ?? 0))
  const does = [
    ...planned.map(({ lack, cost }) => (lack === null ? cost.does : `left out: ${lack}`)),
    ...(first === 0 ? [] : ['a call with each key before them is counted in']),
  ]
  const connections = settings.load.connections.join(', ')
  process.stderr.write(
    [
      `A load on ${visible(target.baseUrl)}, from ${connections} ` +
        `${connections === '1' ? 'connection' : 'connections'}; it may: ` +
        `${target.allow.join(', ') || 'read only'}.`,
      head,
      ...lines.map((line, at) => `${line.padEnd(width)}  ${does[at] ?? ''}`.trimEnd()),
      '',
    ].join('\n'),
  )
}

/** So many lines come each second; a log is then kept shorter. */
const everyLine = 60
const betweenLines = 10

/** Where there is no terminal, the live line becomes lines of a log. */
export const withLines = (sink: RunSink, { quiet }: LoadCommandSettings): RunSink => {
  if (quiet || process.stderr.isTTY) return sink
  let told = 0
  return {
    exchange: sink.exchange,
    event: (event) => {
      sink.event(event)
      if (event.kind !== 'load') return
      told += 1
      if (told > everyLine && told % betweenLines !== 0) return
      process.stderr.write(`petvet: ${visible(event.text)}\n`)
    },
  }
}
