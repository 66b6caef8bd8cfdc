// The settings of `petvet load`, read and validated before anything is sent or written.
import { matchesGlob, resolve } from 'node:path'
import { type FoundConfig, fileFrom, readSmall } from '../../../config/config-file.ts'
import { commandGiven } from '../../../config/given-command.ts'
import type { Environment } from '../../../config/given-keys.ts'
import { type LimitFlags, readLimits, toMilliseconds } from '../../../config/run-settings.ts'
import { readTarget, type Target, type TargetFlags } from '../../../config/target.ts'
import { didYouMean, orRefuse, UsageError } from '../../../config/usage-error.ts'
import { wholeNumber } from '../../../config/values.ts'
import type { Scenario } from '../../../load/scenario.ts'
import { scenarios } from '../../../load/scenarios.ts'
import { readThresholds, type Thresholds } from '../../../load/thresholds.ts'
import { type Given, grouped, number, seconds, text, texts, toggle } from '../../command.ts'
import { type OutputFlags, outputFlags, runFlags, targetFlags } from '../../flags.ts'
import { isInstalled, prismPackages } from '../../optional-packages.ts'
import { readOutput } from '../../output/finish.ts'

const { description, category, ...loadTargetFlags } = targetFlags

const ownFlags = {
  ...grouped('What to run:', {
    'max-requests': number('maximum number of requests [default: 10000000]', {
      min: 1,
      max: 1_000_000_000,
    }),
    scenario: texts('glob of the scenarios to run, repeatable [default: all but those of hours]'),
    connections: text(
      'how many at once, one number or several: 1,10,50 [default: 1,10,50,200; in real time 50]',
    ),
    duration: seconds('seconds that a scenario without a fixed length runs', {
      min: 1,
      max: 7 * 86_400,
    }),
    thresholds: text('file of thresholds; exit 1 if one is violated, 4 if one is undecided'),
  }),
  mock: { ...toggle('run the load on the Prism mock too'), default: true },
  reference: { ...toggle('run it on the reference too'), default: true },
} as const

export const loadFlags = { ...loadTargetFlags, ...runFlags, ...ownFlags, ...outputFlags } as const

type LoadFlags = TargetFlags & LimitFlags & OutputFlags & Readonly<Partial<Given<typeof ownFlags>>>

/** The target is null where it is the built-in reference. */
export type LoadCommandSettings = Readonly<ReturnType<typeof readLoadSettings>>

const defaultMaxRequests = 10_000_000
const connectionsBounds = { min: 1, max: 1_000 }
const maxSteps = 20
/** Between two steps a key waits for two minutes, unless the clock can be moved. */
const defaultConnections = { clock: [1, 10, 50, 200], realTime: [50] }

/** @param folder the current one */
export const readLoadSettings = (flags: LoadFlags, environment: Environment, folder: string) => {
  const { target, found } = readTarget(flags, environment, folder)
  const { connections, duration, thresholds, mock = true, reference = true } = flags
  const hasClock = target === null || target.clockUrl !== null
  return {
    ...readOutput(flags, folder),
    ...readLimits(flags, found, defaultMaxRequests),
    target: target && withoutProxy(target, flags, found),
    scenarios: chooseScenarios(flags.scenario),
    load: {
      connections:
        connections === undefined
          ? defaultConnections[hasClock ? 'clock' : 'realTime']
          : readConnections(connections),
      durationMs: duration === undefined ? null : toMilliseconds(duration),
    },
    thresholds: thresholds === undefined ? null : readThresholdsFile(thresholds, folder),
    withMock: mock && prismPackages.every(isInstalled),
    withReference: reference && target !== null,
    command: commandGiven('load', flags, fileFrom(folder, found)),
  }
}

/** Scenarios that take hours run only where they are named. */
const chooseScenarios = (globs: readonly string[] = ['*']): readonly Scenario[] => {
  const unused = globs.find((glob) => !scenarios.some(({ id }) => matchesGlob(id, glob)))
  if (unused !== undefined) {
    const ids = scenarios.map(({ id }) => id)
    const hint = didYouMean(unused, ids, `available: ${ids.join(', ')}`)
    throw new UsageError(`"${unused}" matches no scenario${hint}`)
  }
  return scenarios.filter(({ id, named }) =>
    globs.some((glob) => matchesGlob(id, glob) && !(named && glob === '*')),
  )
}

const readConnections = (text: string): readonly number[] => {
  const numbers = text
    .split(',')
    .map((each) => wholeNumber('--connections', each.trim(), connectionsBounds))
  if (numbers.length <= maxSteps) return numbers
  throw new UsageError(`--connections takes at most ${maxSteps} numbers`)
}

const readThresholdsFile = (file: string, folder: string): Thresholds => {
  const text = readSmall('the thresholds', resolve(folder, file)).toString()
  return orRefuse(
    () => readThresholds(text),
    ({ message }) => `${file}: ${message}`,
  )
}

/** A configured proxy is refused; one of the environment is not used, and the run says so. */
const withoutProxy = (target: Target, flags: LoadFlags, { config }: FoundConfig): Target => {
  if (typeof (flags.proxy ?? config.proxy) === 'string') {
    const what = flags.proxy === undefined ? 'proxy from the configuration' : '--proxy'
    throw new UsageError(`a load does not go through a proxy: remove ${what}`)
  }
  const { reach, baseUrl } = target
  const proxy = reach.proxyOf(new URL(baseUrl))
  const notes = proxy ? [`${proxy.name} is not used: a load goes straight to its target`] : []
  return { ...target, reach: { ...reach, proxyOf: () => null, notes } }
}
