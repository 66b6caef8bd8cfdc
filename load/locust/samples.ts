// Reads the files of the workers: a head, a line per request, and a last line that says that the
// file is complete. What is missing or cut is a gap; what cannot be such a file is an error.
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Exchange, Header } from '../../history/exchange.ts'
import { count } from '../../history/quote.ts'
import { compileSchema } from '../../spec/schemas.ts'
import type { Sample } from '../load-sample.ts'
import { type LocustPlan, makePlan } from './plan.ts'

/** One request of one worker, by the time since the common start. */
export interface WorkerSample extends Sample, Pick<Exchange, 'noAnswerWhy'> {
  readonly worker: number
  /** The place of its phase in the plan, and its number in the phase. */
  readonly place: number
  readonly number: number
  readonly dueMs: number | null
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
  readonly samples: readonly WorkerSample[]
  /** Some users had not sent all of their part when the run was stopped. */
  readonly early: boolean
  readonly isCut: boolean
}

interface Line {
  readonly phase: number
  readonly number: number
  readonly scenario: string
  readonly key: string
  readonly worker: number
  readonly due?: number
  readonly sent: number
  readonly received: number
  readonly status: number
  readonly headers: readonly Header[]
  readonly error: string | null
}

const maxFileBytes = 1024 ** 3
const maxLineBytes = { head: 512 * 1024, other: 16 * 1024 }

const text = { type: 'string', maxLength: 200 }
const whole = { type: 'integer', minimum: 0, maximum: 2 ** 40 }
const header = { type: 'array', minItems: 2, maxItems: 2, items: text }
const members = {
  ...{ phase: whole, number: whole, worker: whole, scenario: text, key: text, size: whole },
  ...{ sent: { type: 'number' }, received: { type: 'number' }, status: { ...whole, maximum: 599 } },
  headers: { type: 'array', maxItems: 12, items: header },
  error: { ...text, type: ['string', 'null'] },
}
const lineFault = compileSchema({
  type: 'object',
  required: Object.keys(members),
  properties: { ...members, due: { type: 'number' } },
})
const headMembers = { petvet: { const: 1 }, run: text, worker: whole, workers: whole }
const headFault = compileSchema({
  type: 'object',
  required: [...Object.keys(headMembers), 'startsAtMs', 'plan'],
  properties: { ...headMembers, startsAtMs: { ...whole, maximum: 2 ** 46 } },
})

/** The whole lines of a file. @returns whether something is left of a last one */
const linesOf = async function* (path: string): AsyncGenerator<string, boolean> {
  const file = createReadStream(path)
  const source: Readable = path.endsWith('.gz') ? file.pipe(createGunzip()) : file
  file.on('error', (error) => source.destroy(error))
  let [rest, bytes, lines] = [Buffer.alloc(0), 0, 0]
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxFileBytes) throw new Error('it is longer than 1 GiB')
      rest = Buffer.concat([rest, chunk])
      let from = 0
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10, from)) {
        yield rest.toString('utf8', from, end)
        lines += 1
        from = end + 1
      }
      rest = rest.subarray(from)
      const max = lines === 0 ? maxLineBytes.head : maxLineBytes.other
      if (rest.length > max) throw new Error(`line ${lines + 1} is longer than ${max} bytes`)
    }
  } catch (error) {
    // A compressed file that ends too early is cut too.
    if ((error as NodeJS.ErrnoException).code !== 'Z_BUF_ERROR') throw error
    return true
  }
  return rest.length > 0
}

/** A plan is computed again: what a file says of it is not believed. */
const readHead = (line: string): Head => {
  try {
    const { petvet: _, plan, ...head } = JSON.parse(line)
    const own = makePlan(plan.input)
    const isOwn = JSON.stringify(own) === JSON.stringify(plan)
    if (isOwn && headFault(JSON.parse(line)) === undefined) return { ...head, plan: own }
  } catch {
    // Whatever it is.
  }
  throw new Error('line 1 has no plan of this version of petvet')
}

/** @returns undefined if it is no line of a request of this plan */
const readSample = (line: Line, { plan, worker }: Head): WorkerSample | undefined => {
  if (lineFault(line) !== undefined) return undefined
  const { phase: place, number, sent: sentMs, received: receivedMs, status, headers, error } = line
  const phase = plan.phases[place]
  const isPlanned = number < (phase?.requests ?? 0) && line.scenario === phase?.scenario
  if (!isPlanned || line.key !== phase.key || line.worker !== worker) return undefined
  if (receivedMs < sentMs || (error === null && status < 100)) return undefined
  const times = { dueMs: line.due ?? null, sentMs, receivedMs }
  const common = { worker, place, number, key: phase.key, ...times }
  if (error !== null) {
    const noResponse = /timeout|timed out/i.test(error) ? 'timeout' : 'reset'
    return { ...common, response: null, noResponse, noAnswerWhy: error }
  }
  // The body was not kept: the status decides.
  const unread = { bytes: new Uint8Array(), cut: true }
  return { ...common, response: { status, headers, ...unread }, noResponse: null }
}

const parse = (line: string) => {
  try {
    return JSON.parse(line) ?? {}
  } catch {
    return {}
  }
}

const readFile = async (path: string): Promise<WorkerFile> => {
  const lines = linesOf(path)
  const first = await lines.next()
  if (first.done) throw new Error('it has no whole line')
  const head = readHead(first.value)
  const samples: WorkerSample[] = []
  let end: { early?: unknown } | undefined
  for (let next = await lines.next(); ; next = await lines.next()) {
    const early = end?.early === true
    const { value, done } = next
    if (done) return { ...head, name: basename(path), samples, early, isCut: value || !end }
    const line = parse(value)
    const sample = end ? undefined : readSample(line, head)
    if (sample && samples.length < head.plan.requests) samples.push(sample)
    else if (!end && line.end === true && line.lines === samples.length) end = line
    else throw new Error(`line ${samples.length + 2} is not one of a request of its plan`)
  }
}

const expectOnce = (files: readonly WorkerFile[]): void => {
  const workers = new Map<number, string>()
  const sent = new Set<string>()
  for (const { name, worker, samples } of files) {
    if (workers.has(worker)) throw new Error(`${workers.get(worker)} and ${name} are of one worker`)
    workers.set(worker, name)
    for (const { place, number } of samples) {
      if (sent.has(`${place} ${number}`)) throw new Error(`${name}: a request is there twice`)
      sent.add(`${place} ${number}`)
    }
  }
}

/** @throws Error of one line where these are not the files of one run */
export const readSamples = async (paths: readonly string[]): Promise<readonly WorkerFile[]> => {
  const files: WorkerFile[] = []
  for (const path of paths) {
    const file = await readFile(path).catch((error: Error) => {
      throw new Error(`${path}: ${error.message}`)
    })
    files.push(file)
    if (file.plan.id === files[0]?.plan.id && file.run === files[0].run) continue
    throw new Error(`${path} and ${paths[0]} are of two runs: give the files of one`)
  }
  expectOnce(files)
  return files
}

/** What is missing of a run, in words. */
export const gapsIn = (files: readonly WorkerFile[]): string[] => {
  const cut = files.filter(({ isCut }) => isCut)
  const whys = cut.map(({ name, samples }) => `${name} is cut after ${samples.length} requests`)
  const all = files[0]?.workers ?? 0
  const missing = all - files.length
  const lack = `${count(missing, 'file is', 'files are')} missing of ${all} workers`
  return missing > 0 ? [...whys, lack] : whys
}
