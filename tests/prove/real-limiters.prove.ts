// The limiters that no one here wrote, in real time: their own windows, timers and Redis.
import { expect, test } from 'vitest'
import { hasRedis } from '../real-limiters/redis.ts'
import { names, saidOf, unlike } from '../real-limiters/said.ts'
import { freeKeys, needsRedis, vetLibrary } from '../real-limiters/vet.ts'

for (const name of names) {
  const run = test.skipIf(needsRedis(name) && !hasRedis)
  run.concurrent(`what petvet says is true of ${name}`, async () => {
    const found = await vetLibrary(name, false, freeKeys, { allow: ['write', 'exhaust', 'ban'] })
    // A day is judged by a test clock alone.
    const fail = saidOf(name).fail.filter((id) => !id.startsWith('day-'))
    const expected = { ...saidOf(name), fail }
    expect(unlike(found, expected, ['fail', 'warn'])).toEqual([])
  })
}
