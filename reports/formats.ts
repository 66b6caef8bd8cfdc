// The formats that a run can be told in as a file, besides the run file itself.
import type { RunFile } from '../suites/kit/run-file.ts'
import { junit } from './junit.ts'
import type { KnownVerdict } from './known.ts'

export interface Format {
  readonly file: string
  readonly write: (run: RunFile, known: KnownVerdict) => string
}

export const formats: Readonly<Record<string, Format>> = {
  junit: { file: 'junit.xml', write: junit },
}

export const printRun = (run: RunFile): string => `${JSON.stringify(run, null, 2)}\n`
