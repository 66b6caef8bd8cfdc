// Turns: never more at once than they are, in the order of who came, and none is lost.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { plain } from '../../tests/plain-request.ts'
import { serveActs } from '../../tests/raw-server.ts'
import { createClient } from './client.ts'
import { connectionsMost } from './http1-wire.ts'
import { direct } from './reach.ts'
import { createTurns } from './turns.ts'

test('so many are at work, the others follow in order, also behind one that fails', async () => {
  const take = createTurns(2)
  const begun: number[] = []
  const enders: (() => void)[] = []
  const all = Array.from({ length: 5 }, (_, at) =>
    take(
      () =>
        new Promise<number>((resolve, reject) => {
          begun.push(at)
          enders[at] = () => (at === 1 ? reject(new Error('planted')) : resolve(at))
        }),
    ),
  )
  const ended = Promise.allSettled(all)
  await Promise.resolve()
  expect(begun).toEqual([0, 1])
  for (const next of [1, 0, 2, 3, 4]) {
    enders[next]?.()
    await new Promise(setImmediate)
  }
  expect(begun).toEqual([0, 1, 2, 3, 4])
  expect((await ended).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ])
})

/** Answers nothing until each connection of a client has brought a request. */
const serveAllAtOnce = async (): Promise<string> => {
  const held: ServerResponse[] = []
  const server = createServer((_request, response) => {
    held.push(response)
    if (held.length >= connectionsMost) for (const each of held) each.end('[]')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('the time of a request that waits for a connection runs from when it is sent', async () => {
  const { signal } = new AbortController()
  const origin = await serveAllAtOnce()
  const client = createClient({ origin, timeoutMs: 5_000, reach: direct, signal })
  const request = { method: 'GET', path: '/', headers: [], body: null, connection: 'own' } as const
  const all = Array.from({ length: connectionsMost + 3 }, () => client.send(request))
  const answers = await Promise.all(all)
  await client.close()
  expect(answers.filter(({ response }) => response?.status !== 200)).toEqual([])
  const firstMs = Math.min(...answers.slice(0, connectionsMost).map((each) => each.receivedMs))
  const late = answers.slice(connectionsMost).filter(({ sentMs }) => sentMs < firstMs)
  expect(late).toEqual([])
})

test('what waits for its turn when a run is interrupted was never sent', async () => {
  const server = await serveActs(() => 'silence')
  onTestFinished(server.close)
  const interrupt = new AbortController()
  const { signal } = interrupt
  const client = createClient({ origin: server.origin, timeoutMs: 5_000, reach: direct, signal })
  onTestFinished(client.close)
  let left = 0
  const leaving = () => {
    left += 1
  }
  const all = Array.from({ length: 300 }, () =>
    client.send({ ...plain, connection: 'own', leaving }),
  )
  interrupt.abort()
  const answers = await Promise.all(all)
  expect(left).toBe(connectionsMost)
  expect(answers.filter(({ unsent }) => unsent)).toHaveLength(300 - connectionsMost)
})
