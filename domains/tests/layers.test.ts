// The two layers of the domain checks: only acquire/ opens sockets, and no judgement imports it.
import { expect, test } from 'vitest'
import { importsOf, readSources } from '../../tests/layout/sources.ts'

const own = readSources().filter(
  ({ path }) => path.startsWith('domains/check/') && !path.endsWith('.test.ts'),
)
const isAcquiring = (path: string) => path.startsWith('domains/check/acquire/')

test('the files are found', () => {
  expect(own.filter(({ path }) => isAcquiring(path)).length).toBeGreaterThan(3)
  expect(own.length).toBeGreaterThan(10)
})

test('only acquire/ reaches for the network, the disk, or a program', () => {
  const reaching = /from 'node:(?:dgram|dns|fs|http|https|tls|child_process)(?:\/promises)?'/
  const strays = own.filter(({ path, text }) => !isAcquiring(path) && reaching.test(text))
  expect(strays.map(({ path }) => path)).toEqual([])
})

test('no judgement imports what acquires', () => {
  const strays = own.filter(
    (source) =>
      !isAcquiring(source.path) && importsOf(source).some((taken) => isAcquiring(taken.from)),
  )
  expect(strays.map(({ path }) => path)).toEqual([])
})
