// What it costs to write and to judge each exchange of a run, by how many there are.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { printLine } from '../engine/http/recorder.ts'
import { Redactor } from '../engine/http/redact.ts'
import { judgeClauses } from '../engine/run/judge-clauses.ts'
import type { AnsweredExchange } from '../history/exchange.ts'
import type { History } from '../history/history.ts'
import { PetIndex } from '../history/known-pets.ts'
import { minuteMs } from '../history/rate-headers.ts'
import { openLines } from '../reports/run-folder.ts'
import { catalogue } from '../suites/index.ts'
import { fakeExchange, fakeTrace } from '../tests/fake-exchange.ts'

const clauses = catalogue.filter((check) => check.kind === 'clause')
const startMs = Date.UTC(2026, 10, 20, 12)
/** Of a plan whose day does not end. */
const quota = { perMinute: 60, perDay: 1_000_000 }

const pets = Array.from({ length: 20 }, (_, at) => ({
  ...{ id: at + 1, name: `Rex ${at}`, categoryId: 1, status: 'available' },
}))
const body = Buffer.from(JSON.stringify(pets))

/** A list on a Free key, as a correct server responds: a whole minute each minute. */
const listAt = (place: number): AnsweredExchange => {
  const inMinute = place % quota.perMinute
  const windowMs = Math.floor(place / quota.perMinute) * minuteMs
  const sentMs = windowMs + inMinute * 100
  const headers = {
    Date: new Date(startMs + sentMs).toUTCString(),
    'X-RateLimit-Remaining': `${quota.perMinute - inMinute - 1}`,
    'X-RateLimit-Reset': `${(startMs + windowMs + minuteMs) / 1_000}`,
  }
  return {
    ...fakeExchange('/pets?limit=20', { status: 200, body, headers, seq: place + 1 }),
    at: new Date(startMs + sentMs).toISOString(),
    ...{ quota, sentMs, receivedMs: sentMs + 5 },
  }
}

const traceOf = (count: number): History =>
  fakeTrace(...Array.from({ length: count }, (_, place) => listAt(place)))

/** Milliseconds for each of so many exchanges to be judged by all clauses. */
export const judgingMs = (count: number): number => {
  const trace = traceOf(count)
  const beganMs = performance.now()
  judgeClauses(clauses, trace)
  return (performance.now() - beganMs) / count
}

/** Milliseconds for each of so many exchanges to be written, and its pets remembered. */
export const recordingMs = (count: number): number => {
  const { exchanges } = traceOf(count)
  const folder = mkdtempSync(join(tmpdir(), 'petvet-bench-'))
  const lines = openLines(folder, 'exchanges.ndjson', false)
  const redactor = new Redactor()
  redactor.hideKey('petvet-bench-key')
  const knownPets = new PetIndex()
  try {
    const beganMs = performance.now()
    for (const exchange of exchanges) {
      lines.append(printLine(exchange, redactor))
      knownPets.learn(exchange)
    }
    return (performance.now() - beganMs) / count
  } finally {
    lines.close()
    rmSync(folder, { recursive: true })
  }
}
