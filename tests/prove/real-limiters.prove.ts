// The limiters that no one here wrote, in real time: their own windows, timers and Redis.
import { expect, test } from 'vitest'
import { hasRedis } from '../real-limiters/redis.ts'
import { names, type Reasons, said, unlike } from '../real-limiters/said.ts'
import { freeKeys, needsRedis, vetLibrary } from '../real-limiters/vet.ts'

/** A day is judged by a test clock alone. */
const withoutDay = (reasons: Reasons): Reasons =>
  Object.fromEntries(Object.entries(reasons).filter(([id]) => !id.startsWith('day-')))

for (const name of names) {
  const run = test.skipIf(needsRedis(name) && !hasRedis)
  run.concurrent(`what petvet says is true of ${name}`, async () => {
    const found = await vetLibrary(name, false, freeKeys, { allow: ['write', 'exhaust', 'ban'] })
    const { fail } = said[name]
    const expected = { ...said[name], fail: withoutDay(fail) }
    expect(unlike(found, expected, ['fail', 'warn'])).toEqual([])
  })
}
