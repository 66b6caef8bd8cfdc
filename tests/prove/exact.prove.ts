// A load of a number of requests is exact at servers of every kind, however often it is sent.
import type { RequestListener, ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { driven } from '../drive.ts'
import { serveWith } from '../raw-server.ts'

const rounds = 20
/** Requests, over how many connections. */
const sizes = [
  [60, 1],
  [60, 10],
  [60, 50],
  [300, 200],
] as const

const whole = Buffer.alloc(1024 * 1024, 'a')

const afterwards = (response: ServerResponse, run: () => void) => {
  response.on('finish', () => setImmediate(run))
  response.end('[1]')
}

interface Kind {
  /** @param before how many requests came before it */
  readonly act: (response: ServerResponse, before: number) => void
  /** Whether a connection may be closed while a request is written to it. */
  readonly races?: true
}

const kinds: Readonly<Record<string, Kind>> = {
  'keeps connections': { act: (response) => response.end('[1]') },
  'closes each connection after its response': {
    act: (response) => response.setHeader('Connection', 'close').end('[1]'),
  },
  'drops every seventh request without a response': {
    act: (response, before) => {
      if (before % 7 === 6) response.socket?.destroy()
      else response.end('[1]')
    },
  },
  'closes idle connections': {
    act: (response) => {
      const { socket } = response
      afterwards(response, () => socket?.end())
    },
    races: true,
  },
  'sends RST after the response': {
    act: (response) => {
      const { socket } = response
      afterwards(response, () => socket?.resetAndDestroy())
    },
    races: true,
  },
  'is slow': { act: (response) => void setTimeout(() => response.end('[1]'), 20) },
  'answers with 1 MiB': { act: (response) => response.end(whole) },
}

test.for(
  Object.entries(kinds).flatMap(([name, kind]) =>
    sizes.map(([amount, connections]) => ({ name, kind, amount, connections })),
  ),
)('$amount requests over $connections connections: it $name', async (given) => {
  const { kind, amount, connections } = given
  const wrong: string[] = []
  for (let round = 0; round < rounds; round += 1) {
    // A server for each round: what was lost in an earlier one may still be heard.
    let heard = 0
    const answer: RequestListener = (_request, response) => {
      kind.act(response, heard)
      heard += 1
    }
    const origin = await serveWith(answer)
    const { answered, lost, neverSent } = await driven(origin, { amount, connections, keep: 0 })
    const isHeard = kind.races
      ? heard >= answered && heard <= answered + lost
      : heard === answered + lost
    if (isHeard && answered + lost + neverSent === amount) continue
    wrong.push(`heard ${heard}, answered ${answered}, lost ${lost}, never sent ${neverSent}`)
  }
  expect(wrong).toEqual([])
})
