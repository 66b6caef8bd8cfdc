// One seed sends the same requests twice, however long the responses take.
import { expect, test } from 'vitest'
import { runAt } from '../proof/conditions.ts'

const requestsOf = async (seed: number, latencySeed: number): Promise<readonly string[]> => {
  const lines: string[] = []
  const onExchange = (line: string) => lines.push(line)
  const latency = { minMs: 1, maxMs: 4, seed: latencySeed }
  await runAt({}, 'oneKey', seed, { latency, onExchange })
  const sent = lines.map((line) => JSON.parse(line)).sort((a, b) => a.seq - b.seq)
  return sent.map(({ seq, check, key, request }) => JSON.stringify([seq, check, key, request]))
}

test('two runs with one seed send the same requests, and another sends others', async () => {
  const [first, second, other] = [
    await requestsOf(5, 1),
    await requestsOf(5, 2),
    await requestsOf(6, 1),
  ]
  expect(first.length).toBeGreaterThan(200)
  expect(second).toEqual(first)
  expect(other).not.toEqual(first)
})
