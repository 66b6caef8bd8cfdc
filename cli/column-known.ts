// What is known of the Prism column, without starting Prism.
import { readFileSync } from 'node:fs'
import { judgeKnown, type KnownVerdict, readKnown } from '../reports/known.ts'
import type { RunFile } from '../suites/kit/run-file.ts'

const file = new URL('../reference/prism-known.txt', import.meta.url)

export const judgeColumn = (column: RunFile, exists: (id: string) => boolean): KnownVerdict =>
  judgeKnown(column, readKnown(readFileSync(file, 'utf8')), exists)
