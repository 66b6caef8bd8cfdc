// In virtual time: legal limiters pass on a slow network, with a wrong clock, and without a test
// clock; faulty ones are found on a slow network. None gets early requests.
import { expect, test } from 'vitest'
import { chooseBanKey } from '../../engine/check/spendable-keys.ts'
import { makeKeys, servers } from '../../proof/subjects.ts'
import { sample } from '../sample.ts'
import { outcomesOf } from '../vet-reference.ts'
import { impatient } from './not-permitted.ts'
import { type Surrounding, surroundings, vetVariant } from './vet.ts'

/** Found with all keys, by the net; with those of a proof of their own it is chance, or a doubt. */
const withMoreKeys = [
  'second-key-not-limited',
  'enterprise-quota-changed-at-removal',
  'window-renewed-by-each-call',
]

/** Refused for another key, or for years: no run waits for that. */
const withoutWait = ['refusal-closes-the-address', 'retry-after-epoch']

/** In real time, and by a clock of ours that is far off, a fault may be another client's doing. */
const showsFaults = ({ hasClock, skewMs }: Surrounding): boolean => hasClock && skewMs === 0

const cases = servers
  .filter(({ kind, suite }) => kind !== 'constant' && suite !== 'contract')
  .flatMap((subject) =>
    Object.entries(surroundings)
      .filter(([, surrounding]) =>
        subject.kind === 'mutant'
          ? showsFaults(surrounding) && !withMoreKeys.includes(subject.id)
          : surrounding.hasClock || subject.suite !== 'days',
      )
      .map(([where, surrounding]) => ({ subject, where, surrounding })),
  )

const vet = async ({ subject, surrounding }: (typeof cases)[number]) => {
  const keys = makeKeys(subject.vetting)
  const { checks } = subject.vetting
  const { run, passed } = await vetVariant(subject.variant, keys, surrounding, checks)
  expect(run.impossible).toBeNull()
  expect(outcomesOf(run, 'error')).toEqual([])
  // An address that is refused for its invalid keys is no key that may be banned.
  const own = passed.filter((one) => keys.some(({ key }) => key === one.key))
  const early = impatient(own, chooseBanKey(keys)?.key)
  expect(withoutWait.includes(subject.id) ? [] : early).toEqual([])
  return run
}

type Case = (typeof cases)[number]

const isLegal = async (one: Case) => {
  const run = await vet(one)
  const warned = run.checks.filter(({ outcome }) => outcome === 'warn').map((check) => check.id)
  expect(outcomesOf(run, 'fail')).toEqual([])
  expect(warned.filter((id) => !one.subject.warns.includes(id))).toEqual([])
}

const isFound = async (one: Case) => {
  const run = await vet(one)
  const check = run.checks.find(({ id }) => id === one.subject.caughtBy)
  expect(['fail', 'warn'], check?.detail).toContain(check?.outcome)
}

/** Two of them in `npm test`. */
const of = (wanted: 'legal' | 'mutant') => {
  const all = cases.filter(({ subject }) => subject.kind === wanted)
  return sample(all, Math.floor(all.length / 2)).map(
    (one) => [`${one.subject.id}, ${one.where}`, one] as const,
  )
}

test.for(of('legal'))('%s, is legal', ([, one]) => isLegal(one))

test.for(of('mutant'))('%s, is found by the check that claims it', ([, one]) => isFound(one))
