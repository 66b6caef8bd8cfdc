// What a step of GitHub Actions passes on: the summary of its job, and annotations.
import { appendFileSync, statSync } from 'node:fs'
import { github } from '../../reports/github.ts'
import { markdown } from '../../reports/markdown.ts'
import type { Source } from '../../reports/summary.ts'

/** GitHub drops the whole summary of a step that is longer. */
const maxSummaryBytes = 1024 * 1024

/** @param names the formats of `--report`; nothing is passed on without its format */
export const reportToGithub = (
  names: readonly string[],
  source: Source,
  environment: NodeJS.ProcessEnv,
): void => {
  const { GITHUB_ACTIONS: inActions, GITHUB_STEP_SUMMARY: summary } = environment
  if (summary && names.includes('markdown')) append(summary, markdown(source))
  // Commands are read from standard error too, and `--json` owns standard output.
  if (inActions === 'true' && names.includes('github')) process.stderr.write(github(source))
}

const append = (file: string, text: string): void => {
  try {
    const before = statSync(file, { throwIfNoEntry: false })?.size ?? 0
    if (before + Buffer.byteLength(text) >= maxSummaryBytes) {
      process.stderr.write('petvet: the summary of this step has no room for the report\n')
    } else appendFileSync(file, text)
  } catch (error) {
    process.stderr.write(`petvet: no summary was written: ${(error as Error).message}\n`)
  }
}
