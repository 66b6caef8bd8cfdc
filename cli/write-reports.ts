// The further formats that a run is asked for, written beside its run file.
import { join } from 'node:path'
import type { RunFile } from '../engine/run-file.ts'
import { exchangesIn } from '../reports/exchanges.ts'
import { formats } from '../reports/formats.ts'
import type { KnownVerdict } from '../reports/known.ts'
import { exchangesName, writeWhole } from '../reports/run-folder.ts'
import type { Source } from '../reports/summary.ts'
import { formatNames } from './format-names.ts'
import { UsageError } from './usage-error.ts'

/** @throws UsageError where there is no such format */
export const readFormats = (given: readonly string[]): readonly string[] => {
  const names = given.flatMap((text) => text.split(',')).map((name) => name.trim())
  const unknown = names.find((name) => !Object.hasOwn(formats, name))
  if (unknown === undefined) return [...new Set(names)]
  throw new UsageError(`"${unknown}" is no report; what there is: ${formatNames.join(', ')}`)
}

/** @param folder where the run lies */
export const sourceOf = (run: RunFile, known: KnownVerdict, folder: string): Source => ({
  run,
  known,
  exchanges: exchangesIn(join(folder, exchangesName)),
})

/** Writes the formats of these names into the folder of the run. */
export const writeReports = (names: readonly string[], source: Source, folder: string): void => {
  for (const name of names) {
    const format = formats[name]
    if (format) writeWhole(folder, format.file, format.write(source))
  }
}
