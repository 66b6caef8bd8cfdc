// Reads the files of the workers: a head, a line per request, and a last line that says that the
// file is complete. What is missing or cut is a gap; what cannot be such a file is an error.
import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { constants, gunzipSync } from 'node:zlib'
import { count } from '../../history/quote.ts'
import { compileSchema } from '../../spec/schemas.ts'
import type { Sample } from '../connection.ts'
import { type LocustPlan, makePlan } from './plan.ts'
import type { Phase } from './planned-lane.ts'

/** One request, by the time since the common start. */
export interface Sent extends Sample {
  readonly phase: Phase
  /** The place of its phase in the plan, and its number in the phase. */
  readonly place: string
  readonly worker: number
  readonly dueMs: number
}

export interface WorkerFile {
  readonly name: string
  readonly plan: LocustPlan
  readonly run: string
  readonly worker: number
  readonly workers: number
  /** When the common start was, by the clock of this worker. */
  readonly startsAtMs: number
  readonly sent: readonly Sent[]
  /** Some users had not sent all of their part when the run was stopped. */
  readonly early: boolean
  readonly isCut: boolean
}

export type WorkerFiles = readonly [WorkerFile, ...WorkerFile[]]

const text = { type: 'string', maxLength: 200 }
const whole = { type: 'integer', minimum: 0, maximum: 2 ** 46 }
const ms = { type: 'number' }
const members = (properties: Readonly<Record<string, object>>) => {
  return { type: 'object', required: Object.keys(properties), properties }
}
const pairs = (items: object) => {
  return { type: 'array', items: { type: 'array', minItems: 2, maxItems: 2, items } }
}
const plan = members({ headers: pairs({ type: 'string' }) })
const headFault = compileSchema(
  members({ plan, run: text, worker: whole, workers: whole, startsAtMs: whole }),
)
const status = { ...whole, minimum: 100, maximum: 599 }
const response = members({ status, headers: { ...pairs(text), maxItems: 12 }, size: whole })
const lineFault = compileSchema(
  members({
    ...{ phase: whole, number: whole, dueMs: ms, sentMs: ms, receivedMs: ms, noAnswerWhy: text },
    noResponse: { enum: [null, 'timeout', 'reset'] },
    response: { ...response, type: ['object', 'null'] },
  }),
)

const maxFileBytes = 400 * 1024 ** 2
const maxFiles = 1_000

/** The lines of a file; undefined: no JSON, as the last one is where it is cut. */
const linesIn = (path: string) => {
  if (statSync(path).size > maxFileBytes) throw new Error(`more than ${maxFileBytes} bytes`)
  const bytes = readFileSync(path)
  const unzipping = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: maxFileBytes }
  const whole = path.endsWith('.gz') ? gunzipSync(bytes, unzipping) : bytes
  return whole.toString().trimEnd().split('\n').map(parse)
}

const parse = (line: string) => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** A plan is computed again: what a file says of it is not believed. */
const planOf = async (head: { readonly plan: LocustPlan }) => {
  const plan = headFault(head) === undefined ? await makePlan(head.plan).catch(() => null) : null
  if (plan && JSON.stringify(plan) === JSON.stringify(head.plan)) return plan
  throw new Error('line 1 has no plan of this version of petvet')
}

/** The body was not kept: the status decides. */
const unread = { bytes: new Uint8Array(), cut: true } as const

const readFile = async (path: string): Promise<WorkerFile> => {
  const [head, ...rest] = linesIn(path)
  const plan = await planOf(head)
  const last = rest.at(-1)
  const isEnd = last?.end === true
  const lines = isEnd || last === undefined ? rest.slice(0, -1) : rest
  const sent = lines.map((line, at): Sent => {
    const phase = lineFault(line) === undefined ? plan.phases[line.phase] : undefined
    const isEnded = line?.receivedMs >= line?.sentMs && !line.response !== !line.noResponse
    if (phase && line.number < phase.requests && isEnded) {
      const response = line.response && { ...line.response, ...unread }
      const place = `${line.phase} ${line.number}`
      return { ...line, response, phase, place, key: phase.key, worker: head.worker }
    }
    throw new Error(`line ${at + 2} is not one of a request of its plan`)
  })
  const isCut = !isEnd || last.lines !== sent.length
  return { ...head, plan, name: basename(path), sent, early: last?.early === true, isCut }
}

/** @throws Error of one line where these are not the files of one run */
export const readSamples = async (paths: readonly string[]): Promise<WorkerFiles> => {
  if (paths.length > maxFiles) throw new Error(`--from takes at most ${maxFiles} files`)
  const read = (path: string) =>
    readFile(path).catch(({ message }) => {
      throw new Error(`${path}: ${message}`)
    })
  const [first, ...others] = await Promise.all(paths.map(read))
  if (!first) throw new Error('no file is given')
  const foreign = others.find(({ run }) => run !== first.run)
  if (foreign) {
    throw new Error(`${foreign.name} and ${first.name} are of two runs: give the files of one`)
  }
  const places = [first, ...others].flatMap(({ sent }) => sent.map(({ place }) => place))
  if (new Set(places).size < places.length) throw new Error('a request is there twice')
  return [first, ...others]
}

/** What is missing of a run, in words. */
export const gapsIn = (files: WorkerFiles): string[] => {
  const [{ workers }] = files
  const cut = files.filter(({ isCut }) => isCut)
  const whys = cut.map(({ name, sent }) => `${name} is cut after ${sent.length} requests`)
  const missing = workers - new Set(files.map(({ worker }) => worker)).size
  if (missing === 0) return whys
  return [...whys, `${count(missing, 'file is', 'files are')} missing of ${workers} workers`]
}
