// In virtual time: the faulty limiters are found, and the legal ones pass, on a slow
// network, with a wrong clock, and without a test clock; none gets early requests.
import { expect, test } from 'vitest'
import type { KeyOption } from '../../engine/check/spendable-keys.ts'
import { chooseBanKey } from '../../engine/check/spendable-keys.ts'
import { makeKeys, type Server, servers } from '../../proof/subjects.ts'
import { catalogue } from '../../suites/index.ts'
import { sample } from '../sample.ts'
import { outcomesOf } from '../vet-reference.ts'
import { impatient } from './not-permitted.ts'
import { type Surrounding, surroundings, vetVariant } from './vet.ts'

const alone = 'Another client that spends all that comes back looks the same.'

/** Real time does not show these for certain: the reason, and so the expected detail. */
const hidden: Readonly<Record<string, string>> = {
  'window-never-ends': alone,
  'window-never-ends-once-spent': alone,
  'bucket-refills-too-slowly': alone,
  'pro-refilled-too-slowly': alone,
  'refusals-logged-untold': 'What came back may have been taken by one call of another client.',
  'ban-at-first-refusal': 'Another client that was refused meanwhile may have drawn it.',
  'ban-at-first-refusal-as-429': 'Repeated requests before the run may have drawn it.',
  'ban-for-ever': 'Another client may have prolonged it.',
  'ban-longer-than-told': 'Another client may have prolonged it.',
  'ban-prolonged-untold': 'Only with a test clock a call is made in the middle of a ban.',
  'remaining-one-too-low': 'One call that is missing and comes back is that of another client.',
  'excess-answered-401': 'A ban that another client has drawn looks the same.',
  'ban-leaves-no-quota': alone,
}

/**
 * In real time a call that is missing is another client's, unless it is missing on a second key.
 * Of three of each plan one may be the key for bans.
 */
const withMore = (keys: readonly KeyOption[]): KeyOption[] =>
  [...keys, ...keys, ...keys].map((key, at) => ({ ...key, key: `${key.key}-${at}` }))

const keysFor = ({ vetting, id }: Server, { hasClock }: Surrounding) => {
  const keys = makeKeys(vetting)
  return !hasClock && id.endsWith('-one-call-fewer') ? withMore(keys) : keys
}

const cases = servers
  .filter(({ kind, suite }) => kind !== 'constant' && suite !== 'contract')
  .flatMap((subject) =>
    Object.entries(surroundings)
      .filter(([, { hasClock }]) => hasClock || subject.suite !== 'days')
      .map(([where, surrounding]) => ({ subject, where, surrounding })),
  )

const chosen = sample(cases, Math.floor(cases.length / 4)).map(
  (one) => [`${one.subject.id}, ${one.where}`, one] as const,
)

const vet = async ({ subject, surrounding }: (typeof cases)[number]) => {
  const keys = keysFor(subject, surrounding)
  const { checks } = subject.vetting
  const { run, passed } = await vetVariant(subject.variant, keys, surrounding, checks)
  expect(run.impossible).toBeNull()
  expect(outcomesOf(run, 'error')).toEqual([])
  // An address that is refused for its invalid keys is no key that may be banned.
  const own = passed.filter((one) => keys.some(({ key }) => key === one.key))
  expect(impatient(own, chooseBanKey(keys)?.key)).toEqual([])
  return run
}

type Case = (typeof cases)[number]

const isLegal = async (one: Case) => {
  const run = await vet(one)
  const warned = run.checks.filter(({ outcome }) => outcome === 'warn').map((check) => check.id)
  expect(outcomesOf(run, 'fail')).toEqual([])
  expect(warned.filter((id) => !one.subject.warns.includes(id))).toEqual([])
}

/** Checks that need the test clock do not run without one. */
const isByClock = (id: string): boolean => {
  const check = catalogue.find((each) => each.id === id)
  return check !== undefined && 'needs' in check && check.needs.clock === true
}

const isFound = async (one: Case) => {
  const { id, caughtBy } = one.subject
  const isHidden = !one.surrounding.hasClock && (id in hidden || isByClock(caughtBy ?? ''))
  const run = await vet(one)
  const check = run.checks.find((each) => each.id === caughtBy)
  const found = isHidden ? ['untested', 'pass', 'inapplicable'] : ['fail', 'warn']
  expect(found, check?.detail).toContain(check?.outcome)
}

const of = (wanted: 'legal' | 'mutant') =>
  chosen.filter(([, { subject }]) => subject.kind === wanted)

test.for(of('legal'))('%s, is legal', ([, one]) => isLegal(one))

test.for(of('mutant'))('%s, is found by the check that claims it', ([, one]) => isFound(one))
