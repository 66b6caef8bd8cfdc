// What a step of GitHub Actions passes on: the summary of its job, and annotations.
import { appendFileSync } from 'node:fs'
import { github } from '../../reports/github.ts'
import { markdown } from '../../reports/markdown.ts'
import type { Source } from '../../reports/summary.ts'

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
    appendFileSync(file, text)
  } catch (error) {
    process.stderr.write(`petvet: no summary was written: ${(error as Error).message}\n`)
  }
}
