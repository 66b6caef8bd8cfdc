// A finished run as a command is given it: a run file, or the folder it is in.
import { dirname, join, resolve } from 'node:path'
import type { RunFile } from '../engine/run-file.ts'
import { exchangesIn, type ReadExchanges } from '../reports/exchanges.ts'
import { readRun } from '../reports/read-run.ts'
import { exchangesName } from '../reports/run-folder.ts'
import { withoutRunFile } from './read-past-run.ts'
import { UsageError } from './usage-error.ts'

/** @throws UsageError of one line where there is no run */
export const readOrRefuse = (place: string): RunFile => {
  try {
    return readRun(place)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') throw new UsageError(message)
    throw new UsageError(withoutRunFile(place) ?? `${place}: there is no run`)
  }
}

/** The folder in which the other files of a run lie. */
export const folderOf = (run: string): string => {
  const place = resolve(run)
  return place.endsWith('.json') ? dirname(place) : place
}

export const exchangesOf = (run: string): ReadExchanges =>
  exchangesIn(join(folderOf(run), exchangesName))
