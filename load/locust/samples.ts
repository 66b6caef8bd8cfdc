// Reads the files of the workers: a head, a line per request, and a last line that says that the
// file is complete. What is missing or cut is a gap; what cannot be such a file is an error.
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Exchange, Header } from '../../history/exchange.ts'
import { count } from '../../history/quote.ts'
import type { Sample } from '../load-sample.ts'
import { type LocustPlan, makePlan, type PlanInput } from './plan.ts'

/** One request of one worker, by the time since the common start. */
export interface WorkerSample extends Sample, Pick<Exchange, 'noAnswerWhy'> {
  readonly worker: number
  /** The place of its phase in the plan, and its number in the phase. */
  readonly place: number
  readonly number: number
  readonly dueMs: number | null
}

export interface WorkerFile {
  readonly name: string
  readonly worker: number
  /** When the common start was, by the clock of this worker. */
  readonly startsAtMs: number
  readonly samples: readonly WorkerSample[]
  /** Some users had not sent all of their part when the run was stopped. */
  readonly early: boolean
  /** Why the file is not complete; null: it is. */
  readonly cut: string | null
}

export interface Samples {
  readonly plan: LocustPlan
  readonly files: readonly WorkerFile[]
  /** What is missing of the run, in words. */
  readonly gaps: readonly string[]
}

const maxFileBytes = 1024 ** 3
const maxLineBytes = { head: 512 * 1024, other: 16 * 1024 }
const maxHeaders = 12
const maxTextLength = 200

const tooLarge = (what: string) => new Error(`${what}: is it the file of a worker?`)

/** The whole lines of a file; what is left of a last one is its value. */
const linesOf = async function* (path: string): AsyncGenerator<string, boolean> {
  const file = createReadStream(path)
  const source: Readable = path.endsWith('.gz') ? file.pipe(createGunzip()) : file
  file.on('error', (error) => source.destroy(error))
  let [rest, bytes, count] = [Buffer.alloc(0), 0, 0]
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxFileBytes) throw tooLarge('it is longer than 1 GiB')
      let from = 0
      rest = Buffer.concat([rest, chunk])
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10, from)) {
        yield rest.toString('utf8', from, end)
        count += 1
        from = end + 1
      }
      rest = rest.subarray(from)
      const max = count === 0 ? maxLineBytes.head : maxLineBytes.other
      if (rest.length > max) throw tooLarge(`line ${count + 1} is longer than ${max} bytes`)
    }
  } catch (error) {
    // A compressed file that ends too early is cut too.
    if ((error as NodeJS.ErrnoException).code !== 'Z_BUF_ERROR') throw error
    return true
  }
  return rest.length > 0
}

type Fields = Readonly<Record<string, unknown>>

const parse = (text: string): Fields => {
  const value: unknown = JSON.parse(text)
  if (typeof value === 'object' && value !== null) return value as Fields
  throw new Error('no object')
}

const isTime = (value: unknown): value is number => Number.isFinite(value)
const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= maxTextLength
const isHeader = (pair: unknown): pair is Header =>
  Array.isArray(pair) && pair.length === 2 && pair.every(isText)

/** @returns undefined if it is no line of a request of this plan */
const readSample = (line: Fields, plan: LocustPlan, worker: number): WorkerSample | undefined => {
  const { number, sent, received, due = null, status, headers, error } = line
  const phase = isCount(line.phase) ? plan.phases[line.phase] : undefined
  if (!phase || !isCount(number) || number >= phase.requests) return undefined
  if (line.scenario !== phase.scenario || line.key !== phase.key) return undefined
  if (line.worker !== worker || (due !== null && !isTime(due))) return undefined
  if (!isTime(sent) || !isTime(received) || received < sent) return undefined
  if (!Array.isArray(headers) || headers.length > maxHeaders || !headers.every(isHeader)) {
    return undefined
  }
  const place = line.phase as number
  const times = { dueMs: due, sentMs: sent, receivedMs: received }
  const common = { worker, place, number, key: phase.key, ...times }
  if (isText(error)) {
    const noResponse = /timeout|timed out/i.test(error) ? 'timeout' : 'reset'
    return { ...common, response: null, noResponse, noAnswerWhy: error }
  }
  if (error !== null || !isCount(status) || status < 100 || status > 599) return undefined
  // The body was not kept: the status decides.
  const unread = { bytes: new Uint8Array(), cut: true }
  return { ...common, response: { status, headers, ...unread }, noResponse: null }
}

interface Head {
  readonly plan: LocustPlan
  readonly run: string
  readonly worker: number
  readonly workers: number
  readonly startsAtMs: number
}

/** A plan is computed again: what a file says of it is not believed. */
const readHead = (text: string): Head => {
  try {
    const { petvet, plan, run, worker, workers, startsAtMs } = parse(text) as Fields & Head
    const isHead = petvet === 1 && isText(run) && isTime(startsAtMs)
    if (!isHead || !isCount(worker) || !isCount(workers)) throw new Error('no head')
    const own = makePlan(plan.input as PlanInput)
    if (JSON.stringify(own) !== JSON.stringify(plan)) throw new Error('another plan')
    return { plan: own, run, worker, workers, startsAtMs }
  } catch {
    throw new Error('line 1 has no plan of this version of petvet')
  }
}

const orUndefined = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

const readFile = async (path: string) => {
  const lines = linesOf(path)
  const first = await lines.next()
  if (first.done) throw new Error('it has no whole line')
  const { plan, run, workers, ...head } = readHead(first.value)
  const name = basename(path)
  const samples: WorkerSample[] = []
  let end: Fields | undefined
  for (;;) {
    const { value, done } = await lines.next()
    if (done) {
      const isCut = value || !end
      const cut = isCut ? `the file ${name} is cut after ${samples.length} requests` : null
      return {
        plan,
        run,
        workers,
        file: { name, ...head, samples, early: end?.early === true, cut },
      }
    }
    const line = orUndefined(() => parse(value))
    const sample = line && !line.end && readSample(line, plan, head.worker)
    if (sample && !end && samples.length < plan.requests) samples.push(sample)
    else if (line?.end === true && !end && line.lines === samples.length) end = line
    else throw new Error(`line ${samples.length + 2} is not one of a request of its plan`)
  }
}

const expectOnce = (files: readonly WorkerFile[]): void => {
  const workers = new Map<number, string>()
  const sent = new Map<number, Set<number>>()
  for (const { name, worker, samples } of files) {
    if (workers.has(worker)) throw new Error(`${workers.get(worker)} and ${name} are of one worker`)
    workers.set(worker, name)
    for (const { place, number } of samples) {
      const numbers = sent.get(place) ?? new Set()
      if (numbers.has(number)) throw new Error(`${name}: another worker has the same request`)
      sent.set(place, numbers.add(number))
    }
  }
}

/** @throws Error of one line where these are not the files of one run */
export const readSamples = async (paths: readonly string[]): Promise<Samples> => {
  const read: Awaited<ReturnType<typeof readFile>>[] = []
  for (const path of paths) {
    const file = await readFile(path).catch((error: Error) => {
      throw new Error(`${path}: ${error.message}`)
    })
    read.push(file)
    const [{ plan, run }] = read as [typeof file]
    if (file.plan.id === plan.id && file.run === run) continue
    throw new Error(`${path} and ${paths[0]} are of two runs: give the files of one`)
  }
  const [first] = read
  if (!first) throw new Error('there is no file of a worker')
  const plan = first.plan
  const files = read.map(({ file }) => file)
  expectOnce(files)
  const missing = first.workers - files.length
  const lacks = `${count(missing, 'file is', 'files are')} missing of ${first.workers} workers`
  return {
    plan,
    files,
    gaps: [...files.flatMap(({ cut }) => cut ?? []), ...(missing > 0 ? [lacks] : [])],
  }
}
