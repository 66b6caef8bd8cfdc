// Third-party limiters: petvet reports exactly their known deviations, with a test clock, and in a
// proof also in real time: their own windows, timers and Redis.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from './layout/sources.ts'
import type { MountName } from './real-limiters/mounts.ts'
import { hasRedis } from './real-limiters/redis.ts'
import { designOf, isConformant, names, type Reasons, said, unlike } from './real-limiters/said.ts'
import { allKeys, freeKeys, needsRedis, vetLibrary } from './real-limiters/vet.ts'
import { isProof, sample } from './sample.ts'

/** A day is judged by a test clock alone. */
const withoutDay = (reasons: Reasons): Reasons =>
  Object.fromEntries(Object.entries(reasons).filter(([id]) => !id.startsWith('day-')))

describe.concurrent('petvet reports the known deviations of', () => {
  for (const name of sample(names, 12)) {
    test.skipIf(needsRedis(name) && !hasRedis)(name, { timeout: 60_000 }, async ({ expect }) => {
      const keys = isConformant(name) ? allKeys : freeKeys
      // The server's clock moves its Date, so that minutes and days take no time.
      const run = await vetLibrary(name, true, keys, {})
      expect(unlike(run, said[name], ['fail', 'warn', 'untested'])).toEqual([])
      expect(run.observations['limiter-design']).toBe(designOf(name))
      expect(run.verdict).toBe(isConformant(name) ? 'conformant' : 'not-conformant')
    })
  }
})

for (const name of isProof ? names : []) {
  const run = test.skipIf(needsRedis(name) && !hasRedis)
  run.concurrent(`what petvet says is true of ${name} in real time`, async ({ expect }) => {
    const found = await vetLibrary(name, false, freeKeys, { allow: ['write', 'exhaust', 'ban'] })
    const expected = { ...said[name], fail: withoutDay(said[name].fail) }
    expect(unlike(found, expected, ['fail', 'warn'])).toEqual([])
  })
}

test('each failure of a library is in its chapter of the documentation', () => {
  const text = readFileSync(join(root, 'docs/internals/real-limiters.md'), 'utf8')
  const chapterOf = (name: MountName) => {
    const library = name.replace(/ over Redis|, conformant/g, '')
    return text.split(/^## /m).find((chapter) => chapter.startsWith(`${library}\n`)) ?? ''
  }
  const missing = names.flatMap((name) =>
    Object.keys(said[name].fail)
      .filter((id) => !chapterOf(name).includes(`\`${id}\``))
      .map((id) => `${name}: ${id}`),
  )
  expect(missing).toEqual([])
})
