// `petvet load`: runs the load scenarios against a target, next to the reference and the mock. With
// `--to k6` it writes them as a script, with `--from k6 FILE...` it judges what k6 sent.
import { resolve } from 'node:path'
import type { Target } from '../../config/target.ts'
import { reachLines } from '../../config/target-connection.ts'
import { UsageError } from '../../config/usage-error.ts'
import type { AnyCheck, Invariant } from '../../engine/check/declare.ts'
import type { RunFile } from '../../engine/check/run-file.ts'
import type { KeyOption } from '../../engine/check/spendable-keys.ts'
import { plainTarget, type RunOptions } from '../../engine/run/run-options.ts'
import { judgeK6 } from '../../load/k6/judge-samples.ts'
import { isForK6, type K6Header, k6Export } from '../../load/k6/k6-plan.ts'
import { SamplesError } from '../../load/k6/read-samples.ts'
import type { LoadServer } from '../../load/load-server.ts'
import { runLoad } from '../../load/run-load.ts'
import { planAll, planLoad } from '../../load/scenario.ts'
import { startPrism } from '../../reference/prism.ts'
import { exchangesName, writeWhole } from '../../reports/run-folder.ts'
import { aligned, visible } from '../../reports/visible.ts'
import { rateLimitHeaders } from '../../suites/invariants/rate-limit-headers.ts'
import { bodies } from '../../suites/invariants/response-bodies.ts'
import { command } from '../command.ts'
import { finishRun, type OutputSettings, readOutput } from '../output/finish.ts'
import { claimFolder } from '../output/folder.ts'
import { say } from '../output/progress.ts'
import { madeUpKeys, startBuiltIn } from '../run/built-in.ts'
import { interruptible } from '../run/interrupt.ts'
import { recorded, writeRun } from '../run/recorded.ts'
import {
  chooseScenarios,
  type LoadCommandSettings,
  type LoadFlags,
  loadFlags,
  readLoadSettings,
  readThresholdsFile,
} from './load/load-settings.ts'

export const load = command(loadFlags, async ({ to, from, files, ...flags }) => {
  if (to !== undefined && from !== undefined) throw new UsageError('--to and --from: give one')
  if (from !== undefined) {
    const { run, output } = await judgeSamples(flags, from, files ?? [])
    return finishRun(run, output)
  }
  if (files?.length) throw new UsageError('several addresses: files need --from k6')
  return to === undefined ? startLoad(flags) : exportLoad(flags, to)
})

const startLoad = async (flags: LoadFlags): Promise<number> => {
  const settings = readLoadSettings(flags, process.env, process.cwd())
  const { target, quiet } = settings
  claimFolder(settings.folder)
  for (const line of target ? reachLines(target) : []) say(line, { quiet })
  return interruptible(async (signal) => {
    const run = target ? await runOn(target, settings, signal) : await runBuiltIn(settings, signal)
    return finishRun(run, settings)
  })
}

/** So large that no load of one machine exhausts it. */
const enterprise: KeyOption = {
  plan: 'enterprise',
  key: 'enterprise-key-of-the-built-in-reference',
  quota: { perMinute: 10_000_000, perDay: 50_000_000 },
}

const runBuiltIn = async (settings: LoadCommandSettings, signal: AbortSignal): Promise<RunFile> => {
  const builtIn = await startBuiltIn([...madeUpKeys(), enterprise])
  try {
    return await runOn(builtIn.target, settings, signal)
  } finally {
    await builtIn.close()
  }
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
        invariants: invariantsUnderLoad,
      }
      return runLoad(run, sink)
    })
    writeRun(folder, file)
    return file
  } finally {
    await Promise.all(columns.map(({ close }) => close()))
  }
}

const allInvariants: readonly AnyCheck[] = [...rateLimitHeaders, ...bodies]

/** Those about single responses: a load does not keep enough to judge responses in a row. */
export const invariantsUnderLoad = allInvariants.filter(
  (each): each is Invariant => each.kind === 'invariant' && each.id !== 'window-served-most',
)

interface Column extends LoadServer {
  readonly close: () => Promise<void>
}

/** Other keys of the same plans: those of the target are sent to the target only. */
const otherKeys = ({ keys }: RunOptions): KeyOption[] =>
  keys.map((key, at) => ({ ...key, key: `made-up-key-${at + 1}-of-petvet` }))

/** Prism accepts any key. */
const startMock = async (target: RunOptions): Promise<Column> => {
  const { url, close } = await startPrism(0)
  const { allow } = target
  const options = { ...target, ...plainTarget, allow, baseUrl: url, keys: otherKeys(target) }
  return { column: 'prism', options, close }
}

const startReference = async (target: RunOptions): Promise<Column> => {
  const { target: reference, close } = await startBuiltIn(otherKeys(target))
  const options = { ...target, ...reference, allow: target.allow }
  return { column: 'reference', options, close }
}

/** The servers that the same load runs on, to compare with. */
const startColumns = async (settings: LoadCommandSettings, options: RunOptions) => {
  const columns: Column[] = []
  const missing: string[] = []
  const add = async (name: string, start: (target: RunOptions) => Promise<Column>) => {
    try {
      columns.push(await start(options))
    } catch (error) {
      missing.push(`the column ${name} is empty: it did not start: ${(error as Error).message}`)
    }
  }
  if (settings.withMock) await add('prism', startMock)
  if (settings.withReference) await add('reference', startReference)
  return { columns, missing }
}

const duration = (seconds: number): string =>
  seconds < 120 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`

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
      lack === null ? [scenario.id, `${cost.requests}`, duration(cost.seconds)] : [scenario.id],
    ),
    ['total, at most', `${sum('requests') + around}`, `about ${duration(sum('seconds'))}`],
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

const exportLoad = (flags: LoadFlags, to: string): number => {
  if (to !== 'k6') throw new UsageError(`--to takes k6, not "${to}"`)
  const settings = readLoadSettings(flags, process.env, process.cwd())
  const { target, scenarios, load, thresholds } = settings
  if (!target) throw new UsageError('--to needs a base URL: petvet load BASE-URL --to k6 ...')
  if (flags.out === undefined) throw new UsageError('--to needs a folder: --out DIR')
  const chosen = scenarios.filter((each) => each.k6 || flags.scenario !== undefined)
  const request = {
    target,
    headers: headersOf(target),
    scenarios: chosen,
    settings: load,
    thresholds: thresholds ?? [],
  }
  const { files, missing } = k6Export(request)
  if (files.length === 0) throw new UsageError(`no scenario for k6: ${missing[0]?.why ?? 'none'}`)
  const folder = resolve(flags.out)
  claimFolder(folder)
  for (const { file, text } of files) say(writeWhole(folder, file, text))
  for (const { scenario, why } of missing) say(`${scenario.id} was left out: ${why}`)
  for (const one of request.thresholds.filter((each) => !isForK6(each))) {
    const { scenario, metric, text } = one
    say(`the threshold ${scenario} ${metric} ${text} is checked by --from k6, not by k6`)
  }
  const { ca, identity, insecure } = target.reach
  if (ca !== null || identity !== null || insecure) {
    say('the options about certificates were left out: k6 has its own')
  }
  return 0
}

/** A value from the environment is read from there again. */
const headersOf = ({ headers, secrets }: Target): K6Header[] =>
  headers.map(([name, value]) => {
    const secret = secrets.find(({ text }) => text === value)
    return { name, value: secret ? '' : value, variable: secret?.name ?? null }
  })

/** Flags of a run that k6 has already made. */
const ofRuns = ['key', 'allow', 'clock', 'connections', 'duration'] as const

/** @returns the run, and where its output goes */
const judgeSamples = async (
  flags: LoadFlags,
  from: string,
  more: readonly string[],
): Promise<{ readonly run: RunFile; readonly output: OutputSettings }> => {
  if (from !== 'k6') throw new UsageError(`--from takes k6, not "${from}"`)
  const first = flags['base-url']
  if (first === undefined) throw new UsageError('--from needs files: petvet load --from k6 FILE...')
  const unused = ofRuns.find((name) => flags[name] !== undefined)
  if (unused !== undefined) {
    throw new UsageError(`--${unused} is in the script already: remove it next to --from`)
  }
  const output = readOutput(flags, process.cwd())
  const paths = [first, ...more]
  const thresholds =
    flags.thresholds === undefined ? null : readThresholdsFile(flags.thresholds, process.cwd())
  const command = { name: 'load', arguments: [['--from', 'k6'], ...paths.map((path) => [path])] }
  const options = { strict: output.strict, command }
  const k6 = { paths, scenarios: chooseScenarios(flags.scenario), thresholds, options }
  claimFolder(output.folder)
  const own = { ...output, exchanges: exchangesName, journal: null }
  try {
    const run = await recorded(own, new AbortController().signal, (sink) => judgeK6(k6, sink))
    writeRun(output.folder, run)
    return { run, output }
  } catch (error) {
    if (error instanceof SamplesError) throw new UsageError(error.message)
    throw error
  }
}
