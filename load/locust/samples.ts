// Reads the files of the workers: a head, a line per request, and a last line that says that the
// file is complete. What is missing or cut is a gap; what cannot be such a file is an error.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { constants, gunzipSync } from 'node:zlib'
import { count } from '../../history/quote.ts'
import { compileSchema } from '../../spec/schemas.ts'
import type { Sample } from '../connection.ts'
import type { Phase } from './plan.ts'
import { type LocustPlan, makePlan } from './plan.ts'
import schema from './samples.schema.json' with { type: 'json' }

/** One request, by the time since the common start. */
export interface Sent extends Sample {
  readonly phase: Phase
  readonly worker: number
  readonly dueMs: number
}

export interface WorkerFile {
  readonly plan: LocustPlan
  readonly run: string
  readonly worker: number
  readonly workers: number
  /** When the common start was, by the clock of this worker. */
  readonly startsAtMs: number
  /** Whether this worker ran on the machine of the master. */
  readonly hasMasterClock: boolean
  readonly sent: readonly Sent[]
  /** Some users had not sent all of their part when the run was stopped. */
  readonly early: boolean
  readonly gaps: readonly string[]
}

export type WorkerFiles = readonly [WorkerFile, ...WorkerFile[]]

const headFault = compileSchema(schema.$defs.head)
const lineFault = compileSchema(schema.$defs.line)

const unzipping = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 400 * 1024 ** 2 }

/** A line; undefined: no JSON, as the last one is where a file is cut. */
const parse = (line: string) => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const readFile = async (path: string): Promise<WorkerFile> => {
  const bytes = readFileSync(path)
  const content = path.endsWith('.gz') ? gunzipSync(bytes, unzipping) : bytes
  const [head, ...rest] = content.toString().trimEnd().split('\n').map(parse)
  // A plan is computed again: what a file says of it is not believed.
  const plan = headFault(head) ? null : await makePlan(head.plan).catch(() => null)
  if (!plan || JSON.stringify(plan) !== JSON.stringify(head.plan)) {
    throw new Error(`${path}: line 1 has no plan of this version of petvet`)
  }
  const last = rest.at(-1)
  const isWhole = last?.end === true
  const lines = isWhole || last === undefined ? rest.slice(0, -1) : rest
  const sent = lines.map((line, at): Sent => {
    const phase = lineFault(line) ? undefined : plan.phases[line.phase]
    if (!phase || line.number >= phase.requests || line.receivedMs < line.sentMs) {
      throw new Error(`${path}: line ${at + 2} is not one of a request of its plan`)
    }
    const lost = line.receivedMs - line.sentMs < plan.responseTimeoutMs ? 'reset' : 'timeout'
    // The body was not kept: the status decides.
    const unread = line.response && { ...line.response, bytes: new Uint8Array(), cut: true }
    return {
      ...{ ...line, phase, key: phase.key, worker: head.worker, response: unread },
      noResponse: unread ? null : lost,
      dueMs: phase.everyMs > 0 ? phase.atMs + line.number * phase.everyMs : line.sentMs,
    }
  })
  const gaps = isWhole ? [] : [`${basename(path)} is cut after ${sent.length} requests`]
  return { ...head, plan, sent, early: last?.early === true, gaps }
}

/** @throws Error of one line where these are not the files of one run */
export const readSamples = async (paths: readonly string[]): Promise<WorkerFiles> => {
  if (paths.length < 1 || paths.length > 1_000) throw new Error('give 1 to 1000 samples-*.ndjson')
  const [first, ...others] = (await Promise.all(paths.map(readFile))) as unknown as WorkerFiles
  if (others.some(({ run }) => run !== first.run)) {
    throw new Error('the files are of two runs: give the files of one')
  }
  const workers = new Set([first, ...others].map(({ worker }) => worker))
  if (workers.size < paths.length) throw new Error('the file of a worker is given twice')
  const missing = first.workers - paths.length
  if (missing === 0) return [first, ...others]
  const said = `${count(missing, 'file is', 'files are')} missing of ${first.workers} workers`
  return [{ ...first, gaps: [...first.gaps, said] }, ...others]
}
