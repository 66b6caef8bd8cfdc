// Changed in the middle or in a part, a key of any form becomes another one, in a shell as well.
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { middle, otherMiddle, otherSegment, segmentShell } from './near-keys.ts'

const shell = (words: string, key: string): string => {
  const env = { PETVET_KEY: key, PATH: process.env.PATH }
  return execFileSync('bash', ['--norc', '-c', `printf %s "${words}"`], { env }).toString()
}

test.each([
  ['sk_live_abc', 'sk_lixe_abc', 'sk_xive_abc'],
  ['pk.x.y1', 'pk.y.y1', 'pk.y.y1'],
  ['abcd', 'abxd', 'axcd'],
  ['abx-', 'aby-', 'axx-'],
])('%s', (key, inMiddle, inSegment) => {
  expect([otherMiddle(key), otherSegment(key)]).toEqual([inMiddle, inSegment])
  expect([shell(middle, key), shell(segmentShell, key)]).toEqual([inMiddle, inSegment])
})
