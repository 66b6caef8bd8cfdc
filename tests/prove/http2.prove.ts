// HTTP/2 at length: the whole catalogue comes to what it comes to over HTTP/1.1, at the reference,
// and at each of its mutants the check that finds the fault over the one finds it over the other.
import { expect, test } from 'vitest'
import { subjects } from '../../cli/proving/subject.ts'
import { keysOf } from '../../cli/proving/vetting.ts'
import { catalogue } from '../../suites/index.ts'
import type { RunFile } from '../../suites/kit/run-file.ts'
import { overBoth, sameOverBoth } from '../reach/over-http2.ts'

/** All of them; fewer, evenly, for a look. */
const nth = Number(process.env.PETVET_NTH ?? 1)

test('the whole catalogue at the reference', () => sameOverBoth(catalogue))

const mutants = subjects.filter(({ kind, suite }) => kind === 'mutant' && suite === 'contract')
const chosen = mutants.filter((_, at) => at % nth === 0)

const isFound = ({ checks }: RunFile, id: string | null): boolean =>
  checks.some((check) => check.id === id && ['fail', 'warn'].includes(check.outcome))

test.for(chosen.map((subject) => [subject.id, subject] as const))('%s', async ([, subject]) => {
  const { vetting, variant, categories, caughtBy } = subject
  const keys = keysOf(vetting)
  const server = { keys: keys.map(({ plan, key, quota }) => ({ plan, key, ...quota })), variant }
  const options = { keys, categories, allow: vetting.allow, maxRequests: 6_000 }
  const asked = vetting.questions.filter(({ id }) => id === caughtBy || id.startsWith('list-limit'))
  const [old, now] = await overBoth(asked, options, server)
  expect(isFound(now, caughtBy)).toBe(isFound(old, caughtBy))
  expect(now.checks.filter(({ outcome }) => outcome === 'error')).toEqual([])
})
