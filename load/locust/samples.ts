// Reads the files of the workers: a head, a line per request, and a last line that says that the
// file is complete. What is missing or cut is a gap; what cannot be such a file is an error.
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Exchange, ReceivedResponse } from '../../history/exchange.ts'
import { count } from '../../history/quote.ts'
import { compileSchema } from '../../spec/schemas.ts'
import { type LocustPlan, makePlan, maxRequests } from './plan.ts'

/** One request, by the time since the common start. */
export interface Line
  extends Pick<Exchange, 'sentMs' | 'receivedMs' | 'noResponse' | 'noAnswerWhy'> {
  /** The place of its phase in the plan, and its number in the phase. */
  readonly phase: number
  readonly number: number
  readonly dueMs: number
  readonly response: Pick<ReceivedResponse, 'status' | 'headers'> | null
}

interface Head {
  readonly plan: LocustPlan
  readonly run: string
  readonly worker: number
  readonly workers: number
  /** When the common start was, by the clock of this worker. */
  readonly startsAtMs: number
}

export interface WorkerFile extends Head {
  readonly name: string
  readonly lines: readonly Line[]
  /** Some users had not sent all of their part when the run was stopped. */
  readonly early: boolean
  readonly isCut: boolean
}

export type WorkerFiles = readonly [WorkerFile, ...WorkerFile[]]

const max = { fileBytes: 1024 ** 3, headBytes: 512 * 1024, lineBytes: 16 * 1024 }

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
const headFault = compileSchema(
  members({ run: text, worker: whole, workers: whole, startsAtMs: whole }),
)

/** The last line may be cut, and so may a compressed file. */
const linesOf = async function* (path: string): AsyncGenerator<string> {
  const file = createReadStream(path)
  const source: Readable = path.endsWith('.gz') ? file.pipe(createGunzip()) : file
  file.on('error', (error) => source.destroy(error))
  let [rest, bytes, limit] = ['', 0, max.headBytes]
  try {
    for await (const chunk of source.setEncoding('utf8') as AsyncIterable<string>) {
      bytes += chunk.length
      const lines = `${rest}${chunk}`.split('\n')
      rest = lines.pop() ?? ''
      if (bytes > max.fileBytes) throw new Error('it is longer than 1 GiB')
      yield* lines
      if (lines.length > 0) limit = max.lineBytes
      if (rest.length > limit) throw new Error(`a line is longer than ${limit} bytes`)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'Z_BUF_ERROR') throw error
  }
  if (rest !== '') yield rest
}

/** A plan is computed again: what a file says of it is not believed. */
const readHead = (line: string): Head => {
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

const isPlanned = ({ plan }: Head, line: Line): boolean =>
  lineFault(line) === undefined &&
  line.number < (plan.phases[line.phase]?.requests ?? 0) &&
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

const readFile = async (path: string): Promise<WorkerFile> => {
  const all = linesOf(path)
  const head = readHead((await all.next()).value ?? '')
  const lines: Line[] = []
  /** The line of the end, or a cut one: nothing may follow. */
  let last: { end?: unknown; lines?: unknown; early?: unknown } | undefined
  for await (const each of all) {
    const line = parse(each)
    const isLast = line === undefined || line?.end === true
    if (last === undefined && isLast) last = line ?? {}
    else if (last === undefined && isPlanned(head, line)) lines.push(line)
    else throw new Error(`line ${lines.length + 2} is not one of a request of its plan`)
  }
  const isCut = last?.end !== true || last.lines !== lines.length
  return { ...head, name: basename(path), lines, early: last?.early === true, isCut }
}

/** @throws Error of one line where these are not the files of one run */
export const readSamples = async (paths: readonly string[]): Promise<WorkerFiles> => {
  const files: WorkerFile[] = []
  const sent = new Set<number>()
  for (const path of paths) {
    const file = await readFile(path).catch((error: Error) => {
      throw new Error(`${path}: ${error.message}`)
    })
    files.push(file)
    if (file.run !== files[0]?.run) {
      throw new Error(`${path} and ${paths[0]} are of two runs: give the files of one`)
    }
    for (const { phase, number } of file.lines) {
      const place = phase * maxRequests + number
      if (sent.has(place)) throw new Error(`${path}: a request is there twice`)
      sent.add(place)
    }
  }
  return files as unknown as WorkerFiles
}

/** What is missing of a run, in words. */
export const gapsIn = (files: WorkerFiles): string[] => {
  const [{ workers }] = files
  const missing = workers - new Set(files.map(({ worker }) => worker)).size
  const lack = `${count(missing, 'file is', 'files are')} missing of ${workers} workers`
  return [
    ...files
      .filter(({ isCut }) => isCut)
      .map(({ name, lines }) => `${name} is cut after ${lines.length} requests`),
    ...(missing > 0 ? [lack] : []),
  ]
}
