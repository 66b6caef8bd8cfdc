// `petvet load`: runs the load scenarios against a target, next to the reference and the mock.
import type { Target } from '../../config/target.ts'
import { reachLines } from '../../config/target-connection.ts'
import type { RunFile } from '../../engine/check/run-file.ts'
import type { KeyOption } from '../../engine/check/spendable-keys.ts'
import { plainTarget, type RunOptions } from '../../engine/run/run-options.ts'
import { duration } from '../../history/quote.ts'
import type { LoadServer } from '../../load/load-server.ts'
import { runLoad } from '../../load/run-load.ts'
import { planAll, planLoad } from '../../load/scenario.ts'
import type { Clause } from '../../model/clause.ts'
import { formClauses } from '../../model/form.ts'
import { rateLimitHeaders } from '../../model/limiter/headers.ts'
import { startPrism } from '../../reference/prism.ts'
import { exchangesName } from '../../reports/run-folder.ts'
import { aligned, visible } from '../../reports/visible.ts'
import { command } from '../command.ts'
import { finishRun } from '../output/finish.ts'
import { claimFolder } from '../output/folder.ts'
import { say } from '../output/progress.ts'
import { madeUpKeys, startBuiltIn } from '../run/built-in.ts'
import { interruptible } from '../run/interrupt.ts'
import { recorded, writeRun } from '../run/recorded.ts'
import { type LoadCommandSettings, loadFlags, readLoadSettings } from './load/load-settings.ts'

export const load = command(loadFlags, async (flags) => {
  const settings = readLoadSettings(flags, process.env, process.cwd())
  const { target, quiet } = settings
  claimFolder(settings.folder)
  for (const line of target ? reachLines(target) : []) say(line, { quiet })
  return interruptible(async (signal) => {
    const server = target ? { target, close } : await startBuiltIn([...madeUpKeys(), enterprise])
    try {
      return finishRun(await runOn(server.target, settings, signal), settings)
    } finally {
      await server.close()
    }
  })
})

const close = async (): Promise<void> => {}

/** So large that no load of one machine exhausts it. */
const enterprise: KeyOption = {
  plan: 'enterprise',
  key: 'enterprise-key-of-the-built-in-reference',
  quota: { perMinute: 10_000_000, perDay: 50_000_000 },
}

const runOn = async (
  target: Target,
  settings: LoadCommandSettings,
  signal: AbortSignal,
): Promise<RunFile> => {
  const { seed, maxRequests, responseTimeoutMs, strict, folder, thresholds, scenarios } = settings
  const limits = { seed, maxRequests, responseTimeoutMs, strict, command: settings.command }
  const options: RunOptions = { ...target, ...limits, signal }
  if (!settings.quiet) printPlan(settings, options)
  const { columns, missing } = await startColumns(settings, options)
  try {
    const own = { ...settings, exchanges: exchangesName, journal: null }
    const file = await recorded(own, signal, (sink, until) => {
      const run = {
        scenarios,
        settings: settings.load,
        target: { ...options, signal: until },
        baselines: columns,
        missing,
        thresholds,
        clauses: clausesUnderLoad,
      }
      return runLoad(run, sink)
    })
    writeRun(folder, file)
    return file
  } finally {
    await Promise.all(columns.map(({ close }) => close()))
  }
}

/** Those about single responses: a load does not keep enough to judge responses in a row. */
export const clausesUnderLoad: readonly Clause[] = [...rateLimitHeaders, ...formClauses]

type Server = Partial<Target> & { readonly close: () => Promise<void> }
type Column = LoadServer & Pick<Server, 'close'>

/** Other keys of the same plans: those of the target are sent to the target only. */
const otherKeys = ({ keys }: RunOptions): KeyOption[] =>
  keys.map((key, at) => ({ ...key, key: `made-up-key-${at + 1}-of-petvet` }))

/** The servers that the same load runs on, to compare with. */
const startColumns = async (settings: LoadCommandSettings, target: RunOptions) => {
  const columns: Column[] = []
  const missing: string[] = []
  const keys = otherKeys(target)
  const add = async (column: Column['column'], start: () => Promise<Server>) => {
    try {
      const { close, ...server } = await start()
      columns.push({ column, close, options: { ...target, ...server, allow: target.allow } })
    } catch (error) {
      missing.push(`the column ${column} is empty: it did not start: ${(error as Error).message}`)
    }
  }
  const startMock = async () => {
    const { url, close } = await startPrism(0)
    // Prism accepts any key.
    return { ...plainTarget, baseUrl: url, keys, close }
  }
  const startReference = async () => {
    const { target: reference, close } = await startBuiltIn(keys)
    return { ...reference, close }
  }
  if (settings.withMock) await add('prism', startMock)
  if (settings.withReference) await add('reference', startReference)
  return { columns, missing }
}

/** What will be done, before anything is. */
const printPlan = (
  { scenarios, load: settings }: LoadCommandSettings,
  target: RunOptions,
): void => {
  const planned = planAll(scenarios, planLoad(target, settings))
  const runs = planned.filter(({ lack }) => lack === null)
  const sum = (of: 'requests' | 'seconds') => runs.reduce((total, { cost }) => total + cost[of], 0)
  // Each run begins with one call per key; one of a single status ends with one without a key.
  const around = runs.length === 0 ? 0 : target.keys.length + 1
  const [head, ...lines] = aligned([
    ['scenario', 'requests', 'time'],
    ...planned.map(({ scenario, lack, cost }) =>
      lack === null
        ? [scenario.id, `${cost.requests}`, duration(cost.seconds * 1_000)]
        : [scenario.id],
    ),
    ['total, at most', `${sum('requests') + around}`, `about ${duration(sum('seconds') * 1_000)}`],
  ])
  const width = Math.max(...[head, ...lines].map((line) => line?.length ?? 0))
  const does = [
    ...planned.map(({ lack, cost }) => (lack === null ? cost.does : `left out: ${lack}`)),
    ...(around === 0 ? [] : ['including a call with each key before, and one without after']),
  ]
  const connections = settings.connections.join(', ')
  const noun = connections === '1' ? 'connection' : 'connections'
  const allowed = target.allow.join(', ') || 'reads only'
  const base = visible(target.baseUrl)
  const first = `Load on ${base} with ${connections} ${noun}; allowed: ${allowed}.`
  const rows = lines.map((line, at) => `${line.padEnd(width)}  ${does[at] ?? ''}`.trimEnd())
  process.stderr.write([first, head, ...rows, ''].join('\n'))
}
