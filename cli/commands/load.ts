// `petvet load`: runs the load scenarios against a target, next to the reference and the mock.
// `--to locust` writes the plan of a load for several machines; `--from` judges what they wrote.
import { existsSync, globSync, statSync } from 'node:fs'
import { join, matchesGlob, resolve } from 'node:path'
import { withCauses } from '../../causes/diagnose.ts'
import { explain } from '../../causes/findings.ts'
import { readText } from '../../config/config-file.ts'
import { commandGiven, type Environment } from '../../config/given-keys.ts'
import { chosenBy, readLimits } from '../../config/run-settings.ts'
import { readTarget, type Target } from '../../config/target.ts'
import { orRefuse, refuse, UsageError, wholeNumber } from '../../config/values.ts'
import type { RunFile } from '../../engine/check/run-file.ts'
import type { KeyOption } from '../../engine/check/spendable-keys.ts'
import { reachNotes } from '../../engine/http/connection-options.ts'
import { plainTarget, type RunOptions } from '../../engine/run/run-options.ts'
import { duration } from '../../history/quote.ts'
import type { LoadServer } from '../../load/load-server.ts'
import { judgeSamples } from '../../load/locust/judge.ts'
import { filesForLocust } from '../../load/locust/plan.ts'
import { readSamples } from '../../load/locust/samples.ts'
import { runLoad } from '../../load/run-load.ts'
import { planAll, planLoad, type Scenario } from '../../load/scenario.ts'
import { scenarios } from '../../load/scenarios.ts'
import { readThresholds, type Thresholds } from '../../load/thresholds.ts'
import { startPrism } from '../../reference/prism.ts'
import { writeWhole } from '../../reports/run-folder.ts'
import { aligned, visible } from '../../reports/visible.ts'
import * as cli from '../command.ts'
import {
  type CheckFlags,
  choiceIn,
  outputFlags,
  readSettings,
  runFlags,
  targetFlags,
} from '../flags.ts'
import { readOutput } from '../output/finish.ts'
import { claimFolder } from '../output/folder.ts'
import { say } from '../output/progress.ts'
import { recorded, runInFolder } from '../run/recorded.ts'
import { madeUpKeys, startBuiltIn } from './serve.ts'

const { description, category, ...loadTargetFlags } = targetFlags
const { seed, timeout, 'wait-for-target': waitForTarget } = runFlags

const readConnections = (typed: string): readonly number[] =>
  typed.split(',').map((each) => wholeNumber('--connections', each.trim(), { min: 1, max: 1_000 }))

const ownFlags = {
  seed,
  ...cli.grouped('What to run:', {
    'max-requests': cli.number('maximum number of requests [default: 10000000]', {
      min: 1,
      max: 1_000_000_000,
    }),
    timeout,
    'wait-for-target': waitForTarget,
    scenario: cli.texts('glob of scenarios to run, repeatable [default: all but those of hours]'),
    connections: cli.text(
      'how many at once, one number or several: 1,10,50 [default: 1,10,50,200; in real time 50]',
    ),
    duration: cli.seconds('seconds that a scenario without a fixed length runs', {
      min: 1,
      max: 7 * 86_400,
    }),
    to: {
      choices: ['locust'],
      requiresArg: true,
      describe: 'send nothing; write the plan and its program for Locust, for several machines',
    },
    from: cli.texts('files, or folders of files, that the workers of Locust wrote: judge those', {
      conflicts: ['base-url', 'key', 'clock', 'scenario', 'connections', 'duration', 'to'],
    }),
    thresholds: cli.text('file of thresholds; exit 1 if one is violated, 4 if one is undecided'),
  }),
  mock: cli.toggle('run the load on the Prism mock too', { default: true }),
  reference: cli.toggle('run it on the reference too', { default: true }),
} as const

const loadFlags = { ...loadTargetFlags, ...ownFlags, ...outputFlags } as const

type LoadFlags = CheckFlags & Partial<cli.Given<typeof ownFlags>>

type LoadCommandSettings = Readonly<ReturnType<typeof readLoadSettings>>

const defaultMaxRequests = 10_000_000

/** @param folder the current one */
export const readLoadSettings = (flags: LoadFlags, environment: Environment, folder: string) => {
  const settings = readSettings(flags, folder)
  const target = readTarget(settings, environment)
  const { connections, duration, mock = true, reference = true } = flags
  const hasClock = target === null || target.clockUrl !== null
  return {
    ...readOutput(flags),
    ...readLimits(choiceIn(flags), settings.config, defaultMaxRequests),
    target: target && withoutProxy(target),
    scenarios: chooseScenarios(flags.scenario),
    load: {
      // Between two steps a key waits for two minutes, unless the clock can be moved.
      connections: readConnections(connections ?? (hasClock ? '1,10,50,200' : '50')),
      durationMs: duration === undefined ? null : Math.round(duration * 1_000),
    },
    thresholds: thresholdsOf(flags, folder),
    withMock: mock && cli.prismPackages.every(cli.isInstalled),
    withReference: reference && target !== null,
    command: commandGiven('load', flags, settings.file),
  }
}

/** Scenarios that take hours run only where they are named. */
const chooseScenarios = (globs: readonly string[] = ['*']): readonly Scenario[] => {
  const what = `scenario of ${scenarios.map(({ id }) => id).join(', ')}`
  const chosen = chosenBy({ only: globs }, scenarios, ({ id }) => [id], what)
  const isNamed = (id: string) => globs.some((glob) => glob !== '*' && matchesGlob(id, glob))
  return chosen.filter(({ id, named }) => !named || isNamed(id))
}

const thresholdsOf = ({ thresholds: file }: LoadFlags, folder: string): Thresholds | null => {
  if (file === undefined) return null
  const text = readText('the thresholds', resolve(folder, file))
  return orRefuse(
    () => readThresholds(text),
    ({ message }) => `${file}: ${message}`,
  )
}

/** A proxy would measure itself: none is used, and the run says so. */
const withoutProxy = (target: Target): Target => {
  const { reach, baseUrl } = target
  const proxy = reach.proxyOf(new URL(baseUrl))
  const notes = proxy ? [`${proxy.name} is not used: a load goes straight to its target`] : []
  return { ...target, reach: { ...reach, proxyOf: () => null, notes } }
}

export const load = cli.command(loadFlags, async (flags) => {
  if (flags.from) return judgeFrom(flags, flags.from)
  const settings = readLoadSettings(flags, process.env, process.cwd())
  const { target, quiet } = settings
  if (flags.to) return writeTo(settings, flags.out)
  return runInFolder(settings, async (signal) => {
    for (const line of target ? reachNotes(target.reach, target.baseUrl) : []) say(line, { quiet })
    const plans = [...madeUpKeys(), enterprise]
    const server = target ? { target, close: async () => {} } : await startBuiltIn(plans)
    try {
      return await runOn(server.target, settings, signal)
    } finally {
      await server.close()
    }
  })
})

/** @param out the folder as it was given. @returns the exit code */
const writeTo = async (settings: LoadCommandSettings, out: string | undefined): Promise<number> => {
  const { target, folder, quiet } = settings
  if (!target || out === undefined) {
    throw new UsageError('--to locust needs a base URL, and a folder: --out DIR')
  }
  if (existsSync(join(folder, 'plan.json'))) throw new UsageError(`${out} already contains a plan`)
  const { files, plan, leftOut } = await filesForLocust({ ...settings, ...target }).catch(refuse)
  claimFolder(folder)
  for (const [name, text] of files) writeWhole(folder, name, text)
  for (const line of leftOut) say(line, { quiet })
  const { requests, users, seconds, variables } = plan
  const what = `${requests} requests of ${users} users in ${seconds} s`
  say(`${out}: ${what}; the workers need ${variables.join(', ')}; README.md says how`, { quiet })
  return 0
}

const filesAt = (place: string): string[] => {
  if (!statSync(place).isDirectory()) return [place]
  const names = globSync('samples-*.ndjson{,.gz}', { cwd: place })
  return names.sort().map((name) => join(place, name))
}

/** Judges what workers of Locust wrote. @returns the exit code */
const judgeFrom = async (flags: LoadFlags, places: readonly string[]): Promise<number> => {
  const files = await (async () => readSamples(places.flatMap(filesAt)))().catch(refuse)
  const given = {
    ...readOutput(flags),
    ...{ thresholds: thresholdsOf(flags, process.cwd()), seed: flags.seed ?? 0, explain },
    command: commandGiven('load', flags, null),
  }
  return runInFolder(given, (signal) =>
    recorded(given, signal, async (sink) => withCauses(await judgeSamples(files, given, sink))),
  )
}

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
  const { thresholds, scenarios } = settings
  const options: RunOptions = { ...settings, ...target, signal, explain }
  if (!settings.quiet) printPlan(settings, options)
  const { columns, missing } = await startColumns(settings, options)
  try {
    return await recorded(settings, signal, async (sink, until) => {
      const target = { ...options, signal: until }
      const given = { target, settings: settings.load, baselines: columns, missing }
      return withCauses(await runLoad({ scenarios, thresholds, ...given }, sink))
    })
  } finally {
    await Promise.all(columns.map(({ close }) => close()))
  }
}

/** The servers that the same load runs on, to compare with. */
const startColumns = async (settings: LoadCommandSettings, target: RunOptions) => {
  // Those of the target are sent to the target only.
  const keys = target.keys.map((key, at) => ({ ...key, key: `made-up-key-${at + 1}-of-petvet` }))
  const startMock = async () => {
    const { url, close } = await startPrism(0)
    // Prism accepts any key.
    return { target: { ...plainTarget, baseUrl: url, keys }, close }
  }
  const starts = [
    ...(settings.withMock ? [['prism', startMock] as const] : []),
    ...(settings.withReference ? [['reference', () => startBuiltIn(keys)] as const] : []),
  ]
  const columns: (LoadServer & { readonly close: () => Promise<void> })[] = []
  const missing: string[] = []
  for (const [column, start] of starts) {
    try {
      const { target: server, close } = await start()
      columns.push({ column, close, options: { ...target, ...server, allow: target.allow } })
    } catch (error) {
      missing.push(`the column ${column} is empty: it did not start: ${(error as Error).message}`)
    }
  }
  return { columns, missing }
}

/** What will be done, before anything is. */
const printPlan = (
  { scenarios, load: settings }: LoadCommandSettings,
  target: RunOptions,
): void => {
  const planned = planAll(scenarios, planLoad(target, settings))
  const sum = (of: 'requests' | 'seconds' | 'again') =>
    planned.reduce((total, { cost }) => total + cost[of], 0)
  // Each run begins with one call per key; one of a single status ends with one without a key.
  const around = planned.every(({ lack }) => lack) ? 0 : target.keys.length + 1
  const again = sum('again')
  const most = `${sum('requests') + again + around}`
  const calls = around === 0 ? '' : 'including a call with each key before, and one without after'
  const inDoubt = 'only where a limit does not show, or something was seen once'
  const rows: (readonly [cells: readonly string[], does: string])[] = [
    [['scenario', 'requests', 'time'], ''],
    ...planned.map(({ scenario: { id }, lack, cost }) =>
      lack
        ? ([[id], `left out: ${lack.message}`] as const)
        : ([[id, `${cost.requests}`, duration(cost.seconds * 1_000)], cost.does] as const),
    ),
    ...(again > 0 ? [[['in doubt', `${again}`], inDoubt] as const] : []),
    [['total, at most', most, `about ${duration(sum('seconds') * 1_000)}`], calls],
  ]
  const lines = aligned(rows.map(([cells]) => cells))
  const width = Math.max(...lines.map(({ length }) => length))
  const table = lines.map((line, at) => `${line.padEnd(width)}  ${rows[at]?.[1]}`.trimEnd())
  const allowed = target.allow.join(', ') || 'reads only'
  const on = `Load on ${visible(target.baseUrl)}; connections: ${settings.connections.join(', ')}`
  process.stderr.write([`${on}; allowed: ${allowed}.`, ...table, ''].join('\n'))
}
