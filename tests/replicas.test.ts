// Replicas that do not share their pets, behind one address: no restart, and a failure in the words
// of what was observed.
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { runSuites } from '../engine/run/run.ts'
import { get, post } from '../history/exchange.ts'
import { printJson } from '../history/json.ts'
import { petsIn } from '../history/known-pets.ts'
import { catalogue } from '../suites/index.ts'
import { check } from './plain-checks.ts'
import { opened, serveBytes } from './raw-server.ts'
import { serveReference } from './serve-reference.ts'
import { detailOf, outcomeOf, wants200 } from './vet-acts.ts'
import { keyOf, silent, testOptions } from './vet-reference.ts'

/** One connection leads to the first of them, the next to the second. */
const serveBalanced = async (ports: readonly number[]) => {
  const open = new Set<Socket>()
  let connections = 0
  const { origin } = await opened(
    serveBytes((client) => {
      const replica = connect(ports[connections % ports.length] ?? 0, '127.0.0.1')
      connections += 1
      for (const [one, other] of [
        [client, replica],
        [replica, client],
      ] as const) {
        open.add(one)
        one.pipe(other)
        one.on('error', () => other.destroy()).on('close', () => other.destroy())
      }
    }),
  )
  const closeAll = () => {
    for (const socket of open) socket.destroy()
    open.clear()
  }
  return { origin, closeAll }
}

test('a pet that is on one of two replicas is not lost, and the run goes on', async () => {
  const keys = [keyOf('pro', 'one')]
  const replicas = [await serveReference({ keys }), await serveReference({ keys, firstId: 1_000n })]
  const balancer = await serveBalanced(replicas.map(({ url }) => Number(new URL(url).port)))
  const losing = check('losing', 'list.success', { stage: 'reads' }, async ({ call, newPet }) => {
    for (const limit of [1, 2, 3, 4]) await call(get(`/pets?limit=${limit}`))
    const created = await call(post('/pets', printJson(newPet())))
    const fetched = get(`/pets/${petsIn(created)[0]?.id}`)
    await call(fetched)
    balancer.closeAll()
    // Meanwhile the client notices it; the next connection leads to the other replica again.
    for (let times = 0; times < 2; times += 1) await call({ ...fetched, fresh: true })
    await call(get('/pets?limit=1'))
  })
  const clause = catalogue.filter(({ id }) => id === 'get-each-known-200')
  const options = testOptions(`${balancer.origin}/v1`, { keys, clockUrl: null })
  const run = await runSuites([losing, wants200('after', '/pets'), ...clause], options, silent)
  expect(run.impossible).toBe(null)
  expect(outcomeOf(run, 'after')).toBe('pass')
  expect(detailOf(run, 'get-each-known-200')).toMatch(
    /expected 200 for the pet \d+; got 404 on one connection, and 200 on another/,
  )
})
