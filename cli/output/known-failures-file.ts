// The file of `--known`: read and validated before anything is sent, updated after a run.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { didYouMean, orRefuse, UsageError } from '../../config/usage-error.ts'
import type { RunFile } from '../../engine/check/run-file.ts'
import { smokeId } from '../../engine/run/smoke.ts'
import { scenarios } from '../../load/scenarios.ts'
import {
  type KnownFile,
  readKnown,
  reasonToFillIn,
  updateKnown,
} from '../../reports/known-failures.ts'
import { catalogue } from '../../suites/index.ts'

const knownIds: ReadonlySet<string> = new Set([
  smokeId,
  ...catalogue.map(({ id }) => id),
  ...scenarios.flatMap(({ verdicts }) => verdicts.map(({ id }) => id)),
])

/** Checks of domains, and thresholds: no list has them, only a run. */
const isOnlyInRuns = (id: string): boolean =>
  id.includes('@') || /^(load-threshold|project|site|domains)-/.test(id)

/** Whether a check exists, in our lists or in this run, which may be of another version. */
export const existsIn = (run: RunFile | null) => (id: string) =>
  knownIds.has(id) || run?.checks.some((each) => each.id === id) === true

/**
 * @param updates whether the file is going to be updated
 * @param run the finished run that it is applied to; null before a run
 * @throws UsageError where it cannot be read, or names an unknown check: that line would never
 *   excuse anything, and never be found stale
 */
export const readKnownFile = (
  file: string | undefined,
  updates: boolean,
  run: RunFile | null,
): KnownFile => {
  // A file that is to be written need not exist yet.
  if (file === undefined || (updates && !existsSync(file))) {
    return { failures: new Map(), pins: new Map() }
  }
  const known = orRefuse(
    () => readKnown(readFileSync(file, 'utf8')),
    ({ code, message }) =>
      `--known ${file}: ${code === 'ENOENT' ? 'there is no such file' : message}`,
  )
  const ids = [...known.failures.keys(), ...known.pins.keys()]
  const unknown = ids.find((id) => !isOnlyInRuns(id) && !existsIn(run)(id))
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, [...knownIds], 'petvet list prints all')
    throw new UsageError(`--known ${file}: no check is called "${unknown}"${hint}`)
  }
  const [unreasoned] = reasonless(known)
  // `--update-known` keeps lines without a reason.
  if (unreasoned === undefined || updates) return known
  throw new UsageError(`--known ${file}: say why ${unreasoned} is known to fail`)
}

const reasonless = ({ failures }: KnownFile): string[] =>
  [...failures].filter(([, { reason }]) => reason === reasonToFillIn).map(([id]) => id)

/**
 * Updates the file with a run.
 * @returns what it says then, without the lines that have no reason yet: their ids
 */
export const updateKnownFile = (
  file: string,
  run: RunFile,
): { known: KnownFile; unreasoned: string[] } => {
  const after = updateKnown(existsSync(file) ? readFileSync(file, 'utf8') : '', run)
  orRefuse(
    () => writeFileSync(file, after),
    ({ message }) => `--known ${file} cannot be written: ${message}`,
  )
  const known = readKnown(after)
  const unreasoned = reasonless(known)
  const failures = [...known.failures].filter(([id]) => !unreasoned.includes(id))
  return { known: { ...known, failures: new Map(failures) }, unreasoned }
}
