// The work of `petvet load`: tells the plan, runs the scenarios, writes the run, and judges it.

import type { RunFile } from '../engine/run-file.ts'
import type { KeyOption, RunOptions } from '../engine/run-options.ts'
import { type LoadRun, runLoad } from '../load/run-load.ts'
import { printRun } from '../reports/formats.ts'
import { exchangesName, runFileName, writeWhole } from '../reports/run-folder.ts'
import { type BuiltIn, startReferenceWith } from './built-in.ts'
import { claimFolder } from './claim-folder.ts'
import { interruptedCode, onInterrupt } from './interrupt.ts'
import { keyOptions } from './keys.ts'
import { startMockBeside, startReferenceBeside } from './load-beside.ts'
import { ofEachAnswer } from './load-invariants.ts'
import { type LoadCommandSettings, type LoadFlags, readLoadSettings } from './load-settings.ts'
import { tellPlan, withLines } from './load-voice.ts'
import { recorded } from './recorded.ts'
import { madeUpKeys } from './run-serve.ts'
import type { Target } from './target.ts'
import { tellReach } from './tell-reach.ts'
import { tellRun } from './tell-run.ts'

export const runLoadCommand = async (flags: LoadFlags): Promise<number> => {
  const settings = readLoadSettings(flags, process.env, process.cwd())
  claimFolder(settings.folder)
  tellReach(settings.target, settings.quiet)
  const interrupt = onInterrupt()
  try {
    const run = settings.target
      ? await runOn(settings.target, null, settings, interrupt.signal)
      : await runBuiltIn(settings, interrupt.signal)
    const code = tellRun(run, settings)
    if (interrupt.signal.aborted) return interruptedCode
    return (code === 0 || code === 4) && isThresholdBroken(run) ? 1 : code
  } finally {
    interrupt.release()
  }
}

const isThresholdBroken = ({ checks }: RunFile): boolean =>
  checks.some(({ id, outcome }) => id.startsWith('load-threshold-') && outcome === 'warn')

/** Large enough that no load of one machine exhausts it. */
const enterprise: KeyOption = {
  plan: 'enterprise',
  key: 'enterprise-key-of-the-built-in-reference',
  quota: { perMinute: 10_000_000, perDay: 50_000_000 },
}

const runBuiltIn = async (settings: LoadCommandSettings, signal: AbortSignal): Promise<RunFile> => {
  const builtIn = await startReferenceWith([...keyOptions(madeUpKeys(), {}), enterprise])
  try {
    return await runOn(builtIn.target, builtIn, settings, signal)
  } finally {
    await builtIn.close()
  }
}

/** @param builtIn where the target is one, and so can be asked what it counted */
const runOn = async (
  target: Target,
  builtIn: BuiltIn | null,
  settings: LoadCommandSettings,
  signal: AbortSignal,
): Promise<RunFile> => {
  const { seed, maxRequests, answerTimeoutMs, strict, folder, thresholds, scenarios } = settings
  const { again } = settings
  const limits = { maxRequests, answerTimeoutMs }
  const options: RunOptions = { ...target, ...limits, seed, strict, signal, again }
  tellPlan(settings, options)
  const { started: beside, missing } = await startBeside(settings, options)
  try {
    const run: LoadRun = {
      scenarios,
      settings: settings.load,
      target: options,
      received: builtIn?.received ?? null,
      beside: beside.map(({ server }) => server),
      missing,
      thresholds,
      invariants: ofEachAnswer,
    }
    const own = { ...settings, exchanges: exchangesName, journal: null }
    const file = await recorded(own, signal, (sink, until) =>
      runLoad({ ...run, target: { ...options, signal: until } }, withLines(sink, settings)),
    )
    writeWhole(folder, runFileName, printRun(file))
    return file
  } finally {
    await Promise.all(beside.map(({ close }) => close()))
  }
}

const startBeside = async (settings: LoadCommandSettings, options: RunOptions) => {
  const wanted = [
    ...(settings.withMock ? [['prism', startMockBeside] as const] : []),
    ...(settings.withReference ? [['reference', startReferenceBeside] as const] : []),
  ]
  const started: Awaited<ReturnType<typeof startMockBeside>>[] = []
  const missing: string[] = []
  for (const [column, start] of wanted) {
    try {
      started.push(await start(options))
    } catch (error) {
      missing.push(`the column ${column} is empty: it did not start: ${(error as Error).message}`)
    }
  }
  return { started, missing }
}
