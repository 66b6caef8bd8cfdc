// Third-party limiters: petvet reports exactly their known deviations.
import { describe, expect, test } from 'vitest'
import { textOf } from './layout/sources.ts'
import type { MountName } from './real-limiters/mounts.ts'
import { hasRedis } from './real-limiters/redis.ts'
import { designs, isConformant, names, saidOf, unlike } from './real-limiters/said.ts'
import { allKeys, freeKeys, needsRedis, vetLibrary } from './real-limiters/vet.ts'
import { sample } from './sample.ts'

describe.concurrent('petvet reports the known deviations of', () => {
  for (const name of sample(names, 12)) {
    test.skipIf(needsRedis(name) && !hasRedis)(name, { timeout: 240_000 }, async ({ expect }) => {
      const keys = isConformant(name) ? allKeys : freeKeys
      // The server's clock moves its Date, so that minutes and days take no time.
      const run = await vetLibrary(name, true, keys, {})
      expect(unlike(run, saidOf(name), ['fail', 'warn', 'untested'])).toEqual([])
      expect(designs).toContain(run.observations['limiter-design'])
      expect(run.verdict).toBe(isConformant(name) ? 'conformant' : 'not-conformant')
    })
  }
})

test('each failure of a library is in its chapter of the documentation', () => {
  const text = textOf('docs/internals/real-limiters.md')
  const chapterOf = (name: MountName) => {
    const library = name.replace(/ over Redis|, conformant/g, '')
    return text.split(/^## /m).find((chapter) => chapter.startsWith(`${library}\n`)) ?? ''
  }
  const missing = names.flatMap((name) =>
    saidOf(name)
      .fail.filter((id) => !chapterOf(name).includes(`\`${id}\``))
      .map((id) => `${name}: ${id}`),
  )
  expect(missing).toEqual([])
})
