// `petvet demo`: the suites on the built-in reference, with the Prism mock as a baseline.

import type { AnyCheck } from '../../engine/check/declare.ts'
import type { RunFile } from '../../engine/check/run-file.ts'
import { runSuites } from '../../engine/run/run.ts'
import { plainTarget, type RunOptions, type RunSink } from '../../engine/run/run-options.ts'
import { type Mock, startPrism } from '../../reference/prism.ts'
import { exchangesName, WriteFault } from '../../reports/run-folder.ts'
import { plans } from '../../spec/plans.ts'
import * as cli from '../command.ts'
import { outputFlags, runFlags } from '../flags.ts'
import { writeRun } from '../output/finish.ts'
import { say } from '../output/progress.ts'
import {
  type CheckSettings,
  readDemoSettings,
  recorded,
  runChecks,
  runInFolder,
} from '../run/recorded.ts'
import { startBuiltIn } from './serve.ts'

export const demo = cli.command(
  {
    ...runFlags,
    ...outputFlags,
    mock: cli.toggle('run the Prism mock too, as a baseline', { default: true }),
  },
  (flags) => {
    const settings = readDemoSettings(flags)
    return runInFolder(settings, async (signal) => {
      const { target, close } = await startBuiltIn()
      try {
        const what = "petvet's own reference server, which says nothing about yours"
        say(`target ${target.baseUrl}: ${what}`, settings)
        say(`seed ${settings.run.seed}`, settings)
        const run = () => runChecks({ ...settings, target }, null, signal)
        return await (flags.mock ? withPrism(settings, signal, run) : run())
      } finally {
        await close()
      }
    })
  },
)

/** @returns the run on the reference, and that on the mock, which starts while it continues */
const withPrism = async (
  settings: CheckSettings,
  interrupted: AbortSignal,
  runReference: () => Promise<RunFile>,
): Promise<RunFile> => {
  const starting = startPrism(0)
  starting.catch(() => {})
  const exchanges = `prism-${exchangesName}`
  const { maxRequests } = settings.run
  try {
    const run = await runReference()
    if (interrupted.aborted) return run
    writeRun(settings.folder, run)
    say('now the Prism mock, as a baseline', settings)
    const column = starting.then((mock) =>
      recorded(
        settings,
        interrupted,
        (sink, signal) => runColumn(settings.checks, { maxRequests, signal }, mock, sink),
        { exchanges },
      ),
    )
    const more = await column.then(
      (prism) => ({ columns: { prism } }),
      (error: Error) => {
        if (error instanceof WriteFault) throw error
        return { notes: [...run.notes, `the column prism is empty: ${error.message}`] }
      },
    )
    return { ...run, ...more }
  } finally {
    await starting.then(({ close }) => close()).catch(() => {})
  }
}

/**
 * Checks that would only wait: Prism never responds to a body that is not JSON, a broken escape in
 * a path ends its process, it never lists a pet that was created, and it counts nothing that a
 * pause could change.
 */
const skipped: readonly string[] = [
  'create-body-comment-refused',
  'create-body-text-after-refused',
  'create-body-trailing-comma-refused',
  'create-body-truncated-400',
  'create-body-unquoted-member-refused',
  'create-body-words-400',
  'create-other-fault-400',
  'get-id-other-refused',
  'count-of-any-call',
  'walk-statuses',
]

/**
 * Prism accepts any token, and announces a Free quota for each. A run needs fewer requests than
 * these keys have in one minute, so it never waits.
 */
const keys = Array.from({ length: 12 }, (_, index) => ({
  plan: 'free' as const,
  key: `mock-key-${index + 1}`,
  quota: plans.free,
}))

/** It refuses categories beyond 2^53. */
const categories = [1n, 2n, 3n, 4_294_967_297n]

/**
 * The Prism mock as a baseline column next to the built-in reference: it decides nothing.
 * @param run the options of the run that the column is compared with
 */
export const runColumn = async (
  checks: readonly AnyCheck[],
  run: Pick<RunOptions, 'maxRequests' | 'signal'>,
  mock: Mock,
  sink: RunSink,
): Promise<RunFile> => {
  const options = {
    ...plainTarget,
    ...run,
    // The known failures were found with this seed.
    seed: 1,
    keys,
    categories,
    responseTimeoutMs: 1_000,
    // The first values of each row: a mock takes as long as any server without a clock.
    budget: { maxRequests: 0 },
    baseUrl: mock.url,
    allow: ['write', 'expose'],
    strict: false,
  } as const
  return runSuites(
    checks.filter(({ id }) => !skipped.includes(id)),
    options,
    sink,
  )
}
