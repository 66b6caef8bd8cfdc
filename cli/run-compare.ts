// The work of `petvet compare`: two runs read, held against each other, and told.
import { compareLatency, compareRuns } from '../reports/compare/comparison.ts'
import {
  type Compared,
  compareMarkdown,
  compareText,
  verdictOf,
} from '../reports/compare/formats.ts'
import { inertJson } from '../reports/visible.ts'
import { exchangesOf, readOrRefuse } from './read-run.ts'
import { UsageError } from './usage-error.ts'

interface CompareFlags {
  readonly old: string
  readonly new: string
  readonly as: 'text' | 'json' | 'markdown' | undefined
  readonly json: boolean | undefined
  readonly quiet: boolean | undefined
}

const writers: Readonly<Record<string, (compared: Compared) => string>> = {
  text: compareText,
  json: (compared) => `${inertJson(compared, 2)}\n`,
  markdown: compareMarkdown,
}

export const runCompare = async (flags: CompareFlags): Promise<number> => {
  if (flags.json && flags.as !== undefined && flags.as !== 'json') {
    throw new UsageError(`--json and --as ${flags.as} exclude each other`)
  }
  const [old, now] = [readOrRefuse(flags.old), readOrRefuse(flags.new)]
  if (!now.checks.some(({ id }) => old.checks.some((each) => each.id === id))) {
    throw new UsageError('these runs asked different things: no check is in both')
  }
  const read = { old: exchangesOf(flags.old), new: exchangesOf(flags.new) }
  const compared = { ...compareRuns(old, now), latency: compareLatency(old, now, read) }
  const name = flags.json ? 'json' : (flags.as ?? 'text')
  if (flags.quiet) process.stderr.write(`petvet: ${verdictOf(compared)}\n`)
  else process.stdout.write(writers[name]?.(compared) ?? '')
  return compared.worse ? 1 : 0
}
