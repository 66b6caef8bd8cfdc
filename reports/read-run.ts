// Reads a run file back and validates it against its published schema.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { RunFile } from '../engine/run-file.ts'
import { compileSchema } from '../spec/schemas.ts'
import schema from './run.schema.json' with { type: 'json' }
import { runFileName } from './run-folder.ts'

const check = compileSchema(schema)

/** A longer text does not fit into a string. */
const maxBytes = 256 * 1024 * 1024

/**
 * @param place the file, or the folder it is in
 * @throws Error of one line if it is not a run
 */
export const readRun = (place: string): RunFile => {
  const isFolder = statSync(place).isDirectory()
  const file = isFolder ? join(place, runFileName) : place
  if (statSync(file).size > maxBytes) throw new Error(`${file} is too large for a run`)
  const run = parse(file)
  const fault = check(run)
  if (fault === undefined) return run
  throw new Error(`${file} is not a run that this version can read: ${fault}`)
}

const parse = (file: string) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) throw new Error(`${file} is not a run: it is not JSON`)
    throw error
  }
}
