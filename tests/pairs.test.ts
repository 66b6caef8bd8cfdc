// A headline names what decides, as it is pinned, and a pair of requests shows it.
import { expect, test, vi } from 'vitest'
import { findSubject, isServer, makeTarget } from '../proof/subjects.ts'
import { mutants } from '../reference/mutants.ts'
import { catalogue } from '../suites/index.ts'
import { withSetUp } from '../suites/set-up.ts'
import { textOf } from './layout/sources.ts'
import { replayPairs } from './replay-pairs.ts'
import { sample } from './sample.ts'

// On a busy machine a run and its pairs take long.
vi.setConfig({ testTimeout: 120_000 })

const serverOf = (id: string) => {
  const subject = findSubject(id)
  if (!isServer(subject)) throw new Error(`${id} is no server`)
  return makeTarget(subject)
}

const conditioned = mutants.filter(({ condition }) => condition !== undefined)

/** The check that claims these shows their condition alone, with no other but the clauses. */
const alone = [
  ...['second-fetch-404', 'every-seventh-write-lost', 'lists-off-in-the-last-minute'],
  ...['unauthorized-in-any-language-500', 'unknown-pet-with-proxies-500', 'status-first-refused'],
  ...['list-limit-over-20-one-more', 'list-limit-over-60-ignored', 'name-over-110-bytes-refused'],
  ...['body-over-300-refused', 'name-under-3-refused', 'name-over-50-refused'],
  ...['invalid-pet-in-language-tags-500', 'name-in-capitals-taken'],
]
const isAlone = ({ id }: { readonly id: string }): boolean => alone.includes(id)
const others = conditioned.filter((mutant) => !isAlone(mutant))

const clauses = catalogue.filter(({ kind }) => kind === 'clause')

const checksFor = ({ id, caughtBy }: (typeof conditioned)[number]) => {
  if (!alone.includes(id)) return catalogue
  const claimed = catalogue.filter((check) => check.id === caughtBy)
  return [...new Set([...withSetUp(catalogue, claimed), ...clauses])]
}

test.each([...conditioned.filter(isAlone), ...sample(others, 10)].map((each) => [each.id, each]))(
  '%s: the headline has its condition, and its pair holds',
  async (id, mutant) => {
    const { run, broken } = await replayPairs(serverOf(id), 'full', 7, checksFor(mutant))
    const headlines = run.causes?.map(({ observed }) => observed).join('\n')
    expect(headlines).toContain(mutant.condition)
    expect(broken).toEqual([])
  },
)

/** With one Free key, of those that proof/headlines.txt has. */
const pinned = [
  ...textOf('proof/headlines.txt').matchAll(
    /^([a-z0-9-]+): .*\n.*\n {2}one Free key: (?!none)(.+)$/gm,
  ),
].map(([, id = '', headline = '']) => [id, headline] as const)

test.each(sample(pinned, 6))('%s: the headline with one Free key is %s', async (id, headline) => {
  const { run, broken } = await replayPairs(serverOf(id), 'oneKey', 7)
  expect(run.causes?.[0]?.observed).toBe(headline)
  expect(broken).toEqual([])
})
