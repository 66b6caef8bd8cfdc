// `petvet load --from k6 FILE...`: judges what k6 sent, and sends nothing.
import type { RunFile } from '../../../engine/run-file.ts'
import { judgeK6 } from '../../../load/k6/judge.ts'
import { SamplesError } from '../../../load/k6/read.ts'
import { printRun } from '../../../reports/formats.ts'
import { exchangesName, runFileName, writeWhole } from '../../../reports/run-folder.ts'
import { claimFolder } from '../../output/folder.ts'
import { type OutputSettings, readOutput } from '../../output/settings.ts'
import { recorded } from '../../run/recorded.ts'
import { UsageError } from '../../usage-error.ts'
import { chooseScenarios, type LoadFlags, readThresholdsFile } from './settings.ts'

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
  const again = { command: 'load', words: [['--from', 'k6'], ...paths.map((path) => [path])] }
  const options = { strict: output.strict, again }
  const k6 = { paths, scenarios: chooseScenarios(flags.scenario), thresholds, options }
  claimFolder(output.folder)
  const own = { ...output, exchanges: exchangesName, journal: null }
  try {
    const run = await recorded(own, new AbortController().signal, (sink) => judgeK6(k6, sink))
    writeWhole(output.folder, runFileName, printRun(run))
    return { run, output }
  } catch (error) {
    if (error instanceof SamplesError) throw new UsageError(error.message)
    throw error
  }
}
