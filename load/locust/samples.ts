// Reads the files of the workers: a head, a line per request, and a last line that says that the
// file is complete. What is missing or cut is a gap; what cannot be such a file is an error.
import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { constants, gunzipSync } from 'node:zlib'
import type { Exchange, ReceivedResponse } from '../../history/exchange.ts'
import { count } from '../../history/quote.ts'
import { compileSchema } from '../../spec/schemas.ts'
import { type LocustPlan, makePlan, maxRequests } from './plan.ts'

/** One request, by the time since the common start. */
interface Line extends Pick<Exchange, 'sentMs' | 'receivedMs' | 'noResponse' | 'noAnswerWhy'> {
  /** The place of its phase in the plan, and its number in the phase. */
  readonly phase: number
  readonly number: number
  readonly dueMs: number
  readonly response: Pick<ReceivedResponse, 'status' | 'headers'> | null
}

export interface WorkerFile {
  readonly name: string
  readonly plan: LocustPlan
  readonly run: string
  readonly worker: number
  readonly workers: number
  /** When the common start was, by the clock of this worker. */
  readonly startsAtMs: number
  readonly lines: readonly Line[]
  /** Some users had not sent all of their part when the run was stopped. */
  readonly early: boolean
  readonly isCut: boolean
}

export type WorkerFiles = readonly [WorkerFile, ...WorkerFile[]]

const text = { type: 'string', maxLength: 200 }
const whole = { type: 'integer', minimum: 0, maximum: 2 ** 46 }
const ms = { type: 'number' }
const header = { type: 'array', minItems: 2, maxItems: 2, items: text }
const members = (properties: Readonly<Record<string, object>>) => ({
  ...{ type: 'object', required: Object.keys(properties), properties },
})
const response = members({
  ...{ status: { ...whole, minimum: 100, maximum: 599 }, size: whole },
  headers: { type: 'array', maxItems: 12, items: header },
})
const lineFault = compileSchema(
  members({
    ...{ phase: whole, number: whole, dueMs: ms, sentMs: ms, receivedMs: ms, noAnswerWhy: text },
    noResponse: { enum: [null, 'timeout', 'reset'] },
    response: { ...response, type: ['object', 'null'] },
  }),
)
const ofPlan = { headers: { type: 'array', items: { ...header, items: { type: 'string' } } } }
const headFault = compileSchema(
  members({ run: text, worker: whole, workers: whole, startsAtMs: whole, plan: members(ofPlan) }),
)

const maxFileBytes = 400 * 1024 ** 2

/** The lines of a file, the last of which may be cut; a compressed one may be cut too. */
const linesIn = (path: string): string[] => {
  if (statSync(path).size > maxFileBytes) throw new Error(`more than ${maxFileBytes} bytes`)
  const bytes = readFileSync(path)
  const unzipping = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: maxFileBytes }
  const lines = (path.endsWith('.gz') ? gunzipSync(bytes, unzipping) : bytes).toString().split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

/** A plan is computed again: what a file says of it is not believed. */
const readHead = (line = '') => {
  try {
    const head = JSON.parse(line)
    const plan = makePlan(head.plan)
    const isOwn = JSON.stringify(plan) === JSON.stringify(head.plan)
    if (isOwn && headFault(head) === undefined) return { ...head, plan }
  } catch {
    // Whatever it is.
  }
  throw new Error('line 1 has no plan of this version of petvet')
}

const isPlanned = ({ phases }: LocustPlan, line: Line): boolean =>
  lineFault(line) === undefined &&
  line.number < (phases[line.phase]?.requests ?? 0) &&
  line.receivedMs >= line.sentMs &&
  (line.response === null) === (line.noResponse !== null)

/** Undefined: it is no JSON. */
const parse = (line: string) => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const readFile = (path: string): WorkerFile => {
  const [first, ...others] = linesIn(path)
  const head = readHead(first)
  const lines: Line[] = []
  /** The line of the end, or a cut one: nothing may follow. */
  let last: { end?: unknown; lines?: unknown; early?: unknown } | undefined
  for (const line of others.map(parse)) {
    const isLast = line === undefined || line?.end === true
    if (last === undefined && isLast) last = line ?? {}
    else if (last === undefined && isPlanned(head.plan, line)) lines.push(line)
    else throw new Error(`line ${lines.length + 2} is not one of a request of its plan`)
  }
  const isCut = last?.end !== true || last.lines !== lines.length
  return { ...head, name: basename(path), lines, early: last?.early === true, isCut }
}

/** @throws Error of one line where these are not the files of one run */
export const readSamples = (paths: readonly string[]): WorkerFiles => {
  const sent = new Set<number>()
  const files = paths.map((path) => {
    try {
      return readFile(path)
    } catch (error) {
      throw new Error(`${path}: ${(error as Error).message}`)
    }
  })
  for (const { name, run, lines } of files) {
    if (run !== files[0]?.run) {
      throw new Error(`${name} and ${files[0]?.name} are of two runs: give the files of one`)
    }
    for (const { phase, number } of lines) {
      const place = phase * maxRequests + number
      if (sent.has(place)) throw new Error(`${name}: a request is there twice`)
      sent.add(place)
    }
  }
  return files as unknown as WorkerFiles
}

/** What is missing of a run, in words. */
export const gapsIn = (files: WorkerFiles): string[] => {
  const [{ workers }] = files
  const cut = files.filter(({ isCut }) => isCut)
  const whys = cut.map(({ name, lines }) => `${name} is cut after ${lines.length} requests`)
  const missing = workers - new Set(files.map(({ worker }) => worker)).size
  if (missing > 0)
    whys.push(`${count(missing, 'file is', 'files are')} missing of ${workers} workers`)
  return whys
}
