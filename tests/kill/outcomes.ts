// How the checks of a run ended, so that two runs can be compared.
import type { RunFile } from '../../engine/run-file.ts'

/** Of each check its outcome, with what was observed. */
export const outcomesOf = ({ checks }: RunFile): Readonly<Record<string, string>> =>
  Object.fromEntries(
    checks.map(({ id, outcome, because, detail }) => [
      id,
      [outcome, because, outcome === 'observed' ? detail : null].filter(Boolean).join(' '),
    ]),
  )
