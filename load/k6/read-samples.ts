// Reads what k6 writes with `--out json`, of one or many instances: the samples of the script, in
// bounded memory; and compares the clocks of the instances by the Date of the target.
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { K6Plan } from './k6-plan.ts'
import { createSampleReader, type K6Sample, type Point } from './sample-line.ts'

/** Thrown where files are no samples of one whole run. One-line message. */
export class SamplesError extends Error {}

interface Instance {
  readonly index: number
  readonly count: number
  readonly startedMs: number
  /** Bounds of the clock of the target minus that of the instance. */
  minOffsetMs: number
  maxOffsetMs: number
  hasEnded: boolean
}

/** How a line begins that is parsed; others are skipped. */
const beginning = Buffer.from('{"metric":"petvet_judge_r')
const marking = '{"metric":"petvet_judge_run"'
const newline = 10
/** A longer line is none of ours. */
const maxLineBytes = 1_000_000
const chunkBytes = 1 << 18
const gzipMagic = 0x1f8b

/** The bytes of a file, unzipped if it is gzipped. Each chunk is valid until the next one only. */
async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  const file = await open(path)
  try {
    const chunk = Buffer.alloc(chunkBytes)
    let { bytesRead } = await file.read(chunk, 0, 2, 0)
    if (bytesRead === 2 && chunk.readUInt16BE() === gzipMagic) {
      const bytes = file.createReadStream({ start: 0, autoClose: false })
      yield* pipeline(bytes, createGunzip(), () => {})
      return
    }
    for (let at = 0; bytesRead > 0; at += bytesRead) {
      ;({ bytesRead } = await file.read(chunk, 0, chunkBytes, at))
      yield chunk.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

/** @returns where the last line begins, which is not complete */
const cutLines = (bytes: Buffer, take: (line: string) => void): number => {
  let at = bytes.indexOf(beginning)
  while (at !== -1) {
    const end = bytes.indexOf(newline, at)
    if (end === -1) return at
    if (at === 0 || bytes[at - 1] === newline) take(bytes.toString('utf8', at, end))
    at = bytes.indexOf(beginning, end)
  }
  return bytes.lastIndexOf(newline) + 1
}

/** Calls with each line of a metric of the script. */
const eachLine = async (path: string, take: (line: string) => void): Promise<void> => {
  const bytes = Buffer.alloc(maxLineBytes + chunkBytes)
  let filled = 0
  for await (const chunk of chunksOf(path)) {
    filled += chunk.copy(bytes, filled)
    const restAt = cutLines(bytes.subarray(0, filled), take)
    filled -= restAt
    if (filled > maxLineBytes) filled = 0
    else bytes.copyWithin(0, restAt, restAt + filled)
  }
  if (bytes.subarray(0, filled).includes(beginning)) {
    throw new SamplesError(`${path} is truncated in its last line`)
  }
}

const roundedMs = 1_000

export interface Clocks {
  /** What is added to the times of an instance, in milliseconds. */
  readonly shiftOf: (name: string) => number
  /** How far its times may still be wrong. */
  readonly slackOf: (name: string) => number
  /** How far two clocks may differ; 0 for one instance. */
  readonly maxSkewMs: number
}

export interface K6Samples {
  readonly plan: K6Plan
  /** Of instances. */
  readonly count: number
  readonly startedMs: number
  readonly clocks: Clocks
}

class Reader {
  readonly instances = new Map<string, Instance>()
  readonly #sampleOf = createSampleReader()
  readonly #take: (sample: K6Sample, plan: K6Plan) => void
  #planText = ''
  #run = ''
  plan: K6Plan | undefined
  #date = ''
  #dateMs = 0

  constructor(take: (sample: K6Sample, plan: K6Plan) => void) {
    this.#take = take
  }

  line(text: string, path: string): void {
    try {
      if (text.startsWith(marking)) this.#mark(JSON.parse(text) as Point, path)
      else this.#sample(this.#sampleOf(text), path)
    } catch (error) {
      if (error instanceof SamplesError) throw error
      throw new SamplesError(
        `${path} is no output of k6 and a script of petvet: ${text.slice(0, 60)}`,
      )
    }
  }

  #sample(sample: K6Sample, path: string): void {
    const instance = this.instances.get(sample.instance)
    if (!instance || !this.plan) {
      throw new SamplesError(`${path} has samples of ${sample.instance} without their beginning`)
    }
    const { rawHeaders, sentMs, ms } = sample
    if (rawHeaders.at(-2) === 'Date')
      this.#learnOffset(instance, rawHeaders.at(-1) ?? '', sentMs, ms)
    this.#take(sample, this.plan)
  }

  #learnOffset(instance: Instance, date: string, sentMs: number, ms: number): void {
    if (date !== this.#date) {
      this.#date = date
      this.#dateMs = Date.parse(date)
    }
    if (Number.isNaN(this.#dateMs)) return
    instance.minOffsetMs = Math.max(instance.minOffsetMs, this.#dateMs - sentMs - ms)
    instance.maxOffsetMs = Math.min(instance.maxOffsetMs, this.#dateMs + roundedMs - sentMs)
  }

  #mark({ data: { tags, metadata = {} } }: Point, path: string): void {
    const { instance: name = '', kind } = tags
    const known = this.instances.get(name)
    if (kind === 'end') {
      if (known) known.hasEnded = true
      return
    }
    if (known)
      throw new SamplesError(`${path}: the instance ${name} is there twice: two runs are mixed`)
    const { plan = '', run = '', index, count, started } = metadata
    this.plan ??= JSON.parse(plan) as K6Plan
    this.#planText ||= plan
    if (this.instances.size === 0) this.#run = run
    if (plan !== this.#planText || run !== this.#run) {
      throw new SamplesError(`${path} is of another run than the files before it`)
    }
    this.instances.set(name, {
      index: Number(index),
      count: Number(count),
      startedMs: Number(started),
      minOffsetMs: Number.NEGATIVE_INFINITY,
      maxOffsetMs: Number.POSITIVE_INFINITY,
      hasEnded: false,
    })
  }
}

/** Instances of one run begin together. */
const maxApartMs = 120_000

const expectWhole = (instances: ReadonlyMap<string, Instance>): void => {
  const all = [...instances.values()]
  const counts = new Set(all.map(({ count }) => count))
  const starts = all.map(({ startedMs }) => startedMs)
  if (counts.size > 1)
    throw new SamplesError('two runs are mixed: their numbers of instances differ')
  if (Math.max(...starts) - Math.min(...starts) > maxApartMs) {
    throw new SamplesError('two runs are mixed: they began at different times')
  }
  const [count = 1] = counts
  const indexes = new Set(all.map(({ index }) => index))
  if (indexes.size < count) {
    throw new SamplesError(`instances are missing: ${indexes.size} of ${count} are there`)
  }
  const open = [...instances].find(([, { hasEnded }]) => !hasEnded)
  if (open) throw new SamplesError(`the samples of ${open[0]} are truncated: k6 did not end there`)
}

/**
 * @param take called for each sample, in the order of the files
 * @throws SamplesError
 */
export const readK6 = async (
  paths: readonly string[],
  take: (sample: K6Sample, plan: K6Plan) => void,
): Promise<K6Samples> => {
  const reader = new Reader(take)
  for (const path of paths) {
    const before = reader.instances.size
    try {
      await eachLine(path, (line) => reader.line(line, path))
    } catch (error) {
      if (error instanceof SamplesError) throw error
      const { code } = error as NodeJS.ErrnoException
      throw new SamplesError(
        code === 'Z_BUF_ERROR' ? `${path} is truncated` : `cannot read ${path} (${code})`,
      )
    }
    if (reader.instances.size === before) {
      throw new SamplesError(`${path} is no output of k6 and a script of petvet`)
    }
  }
  const { plan, instances } = reader
  if (!plan) throw new SamplesError('no files')
  expectWhole(instances)
  const startedMs = Math.min(...[...instances.values()].map((each) => each.startedMs))
  return { plan, count: instances.size, startedMs, clocks: alignClocks(instances) }
}

/** A Date may come from the cache of a server, so bounds may cross. */
const boundsOf = ({ minOffsetMs, maxOffsetMs }: Instance): readonly [min: number, max: number] =>
  Number.isFinite(minOffsetMs) && Number.isFinite(maxOffsetMs)
    ? [minOffsetMs, Math.max(minOffsetMs, maxOffsetMs)]
    : [0, 0]

/** Clocks that do not contradict each other are left as they are. */
const alignClocks = (instances: ReadonlyMap<string, Instance>): Clocks => {
  const bounds = new Map([...instances].map(([name, one]) => [name, boundsOf(one)]))
  const min = Math.max(...[...bounds.values()].map(([low]) => low))
  const max = Math.min(...[...bounds.values()].map(([, high]) => high))
  const isOneTime = min <= max
  const common = isOneTime ? (min + max) / 2 : 0
  const middleOf = (name: string) => {
    const [low = 0, high = 0] = bounds.get(name) ?? []
    return (low + high) / 2
  }
  const slackOf = (name: string): number => {
    if (bounds.size < 2) return 0
    const [low = 0, high = 0] = bounds.get(name) ?? []
    return isOneTime ? Math.max(high - common, common - low) : (high - low) / 2
  }
  const [first = ''] = bounds.keys()
  return {
    shiftOf: (name) => (isOneTime ? 0 : middleOf(name) - middleOf(first)),
    slackOf,
    maxSkewMs: 2 * Math.max(...[...bounds.keys()].map(slackOf)),
  }
}
