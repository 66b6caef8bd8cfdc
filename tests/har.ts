// HAR files for tests: of a run in virtual time, as an exporter at the socket writes it, and of
// single requests to the reference; and what is done to such files.
import type { ClientResult } from '../engine/http/client.ts'
import type { WireRequest } from '../engine/http/http1.ts'
import type { PastExchange } from '../engine/http/recorder.ts'
import type { Wires } from '../engine/http/target-clock.ts'
import type { ReceivedResponse } from '../history/exchange.ts'
import { type Condition, runAt } from '../proof/conditions.ts'
import { findSubject, isServer, makeTarget } from '../proof/subjects.ts'
import { chances, createTarget, createTime, createVirtualWires } from '../proof/virtual.ts'
import type { IssuedKey } from '../reference/issued-keys.ts'

const startMs = Date.UTC(2026, 10, 20, 10)

interface Named {
  readonly name: string
  value: string
}

export interface Entry {
  startedDateTime: string
  readonly time: number
  readonly request: {
    readonly method: string
    readonly url: string
    headers: Named[]
    readonly postData?: { readonly mimeType: string; readonly text: string }
  }
  readonly response: {
    readonly status: number
    readonly headers: Named[]
    readonly content: { readonly size: number; text?: string }
  }
}

/** With microseconds, as mitmproxy writes it. */
const timeOf = (ms: number): string => {
  const beyond = `${Math.round((ms % 1) * 1_000)}`.padStart(3, '0')
  return new Date(Math.floor(ms)).toISOString().replace('Z', `${beyond}Z`)
}

const named = (headers: WireRequest['headers']): Named[] =>
  headers.map(([name, value]) => ({ name, value }))

const lengthOf = (body: string | Uint8Array): Named => {
  return { name: 'Content-Length', value: `${Buffer.from(body).length}` }
}

const framingOf = ({ body, framing }: WireRequest): Named[] => {
  if (body === null) return []
  return framing === 'chunked'
    ? [{ name: 'Transfer-Encoding', value: 'chunked' }]
    : [lengthOf(body)]
}

const receivedLength = ({ bytes, cut }: ReceivedResponse): Named[] => (cut ? [] : [lengthOf(bytes)])

/** An entry as an exporter writes it that keeps all of an exchange. */
const entryOf = (wire: WireRequest, { response, sentMs, receivedMs }: ClientResult): Entry => ({
  startedDateTime: timeOf(startMs + sentMs),
  time: receivedMs - sentMs,
  request: {
    ...{ method: wire.method, url: `http://127.0.0.1${wire.path}` },
    headers: [{ name: 'Host', value: '127.0.0.1' }, ...named(wire.headers), ...framingOf(wire)],
    ...(wire.body !== null && {
      postData: { mimeType: 'application/json', text: Buffer.from(wire.body).toString() },
    }),
  },
  response: {
    status: response?.status ?? 0,
    headers: response ? [...named(response.headers), ...receivedLength(response)] : [],
    content: {
      // The client of petvet cuts what is too long, as some exporters do.
      size: (response?.bytes.length ?? 0) + (response?.cut ? 1 : 0),
      ...(response && { text: Buffer.from(response.bytes).toString() }),
    },
  },
})

/** A run at a mutant or a legal variant: its run file, its HAR file, and its exchanges.ndjson. */
export const recordRun = async (id: string, condition: Condition) => {
  const subject = findSubject(id)
  if (!isServer(subject)) throw new Error(`${id} is no server`)
  const entries: Entry[] = []
  const lines: string[] = []
  const around = (wires: Wires): Wires => ({
    ...wires,
    client: {
      ...wires.client,
      send: async (wire) => {
        const result = await wires.client.send(wire)
        entries.push(entryOf(wire, result))
        return result
      },
    },
  })
  const onExchange = (line: string) => lines.push(line)
  const run = await runAt(makeTarget(subject), condition, 7, { around, onExchange })
  return { subject, run, entries, lines: lines.map((line): PastExchange => JSON.parse(line)) }
}

/** What may happen to a file before it is judged, by chance. */
export const damages = {
  'as it is': (entries) => entries,
  'with a third of it deleted': (entries, chance) => entries.filter(() => chance() > 1 / 3),
  'in another order': (entries, chance) =>
    entries
      .map((one) => [chance(), one] as const)
      .toSorted(([a], [b]) => a - b)
      .map(([, one]) => one),
  'with bodies cut': (entries, chance) =>
    entries.map((one) => {
      const copy = structuredClone(one)
      const { text = '' } = copy.response.content
      if (chance() < 0.4) copy.response.content.text = text.slice(0, text.length * chance())
      const isLength = ({ name }: Named) => name === 'Content-Length'
      if (chance() < 0.5 && copy.response.headers.some(isLength)) copy.response.headers.pop()
      return copy
    }),
  'without sensitive fields': (entries) =>
    entries.map((one) => {
      const headers = one.request.headers.filter(({ name }) => !/^authorization$/i.test(name))
      return { ...one, request: { ...one.request, headers } }
    }),
  'with times in milliseconds': (entries) =>
    entries.map((one) => ({ ...one, startedDateTime: `${one.startedDateTime.slice(0, 23)}Z` })),
} satisfies Record<string, (entries: readonly Entry[], chance: () => number) => readonly Entry[]>

export const damaged = (how: keyof typeof damages, entries: readonly Entry[], seed: number) =>
  (damages[how] as (all: readonly Entry[], chance: () => number) => readonly Entry[])(
    entries,
    chances(seed),
  )

/**
 * A new store on the reference, or on a mutant of it, an hour after the entries that there are.
 * @returns sends a request, and adds its entry
 */
export const createStore = async (
  keys: readonly IssuedKey[],
  entries: Entry[],
  mutant?: string,
) => {
  const subject = mutant === undefined ? undefined : findSubject(mutant)
  const variant = subject && isServer(subject) ? subject.variant : {}
  const time = createTime()
  const atMs = 3_600_000 * entries.length
  const target = createTarget(variant, keys, startMs + atMs, time)
  const wires = createVirtualWires(target, time, {
    ...{ startMs: startMs + atMs, latencyMs: () => 2, skewMs: 0, hasClock: false },
  })
  return async (
    method: string,
    path: string,
    key: string | undefined,
    body: string | null = null,
  ) => {
    const headers: [string, string][] = [
      ...(key === undefined ? [] : [['Authorization', `Bearer ${key}`] as [string, string]]),
      ...(body === null ? [] : [['Content-Type', 'application/json'] as [string, string]]),
    ]
    const wire = { method, path: `/v1${path}`, headers, body, connection: 'shared' as const }
    const result = await wires.client.send(wire)
    const entry = entryOf(wire, result)
    entries.push({ ...entry, startedDateTime: timeOf(startMs + atMs + result.sentMs) })
    await time.sleep(2_000)
  }
}
