// `petvet load --to k6` writes the scenarios as a script, `--from k6 FILE...` judges what k6 sent;
// both send nothing.
import { resolve } from 'node:path'
import type { Target } from '../../../config/target.ts'
import { UsageError } from '../../../config/usage-error.ts'
import type { RunFile } from '../../../engine/check/run-file.ts'
import { judgeK6 } from '../../../load/k6/judge-samples.ts'
import { k6Export } from '../../../load/k6/k6-export.ts'
import { isForK6, type K6Header } from '../../../load/k6/k6-plan.ts'
import { SamplesError } from '../../../load/k6/read-samples.ts'
import { exchangesName, writeWhole } from '../../../reports/run-folder.ts'
import { claimFolder } from '../../output/folder.ts'
import { type OutputSettings, readOutput } from '../../output/output-settings.ts'
import { say } from '../../output/progress.ts'
import { recorded, writeRun } from '../../run/recorded.ts'
import {
  chooseScenarios,
  type LoadFlags,
  readLoadSettings,
  readThresholdsFile,
} from './load-settings.ts'

export const exportLoad = (flags: LoadFlags, to: string): number => {
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
export const judgeSamples = async (
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
