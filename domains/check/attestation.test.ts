// An attestation is reported as one, and counts only if it attests a violation.
import { expect, test } from 'vitest'
import { attestedResults, readAttestations } from './attestation.ts'

const one = { requirement: 'publishing.add', who: 'Ann', when: '2026-11-20', holds: true } as const
const file = (...attestations: readonly object[]) => ({ attestations })

test('a yes is observed, a no is a failure', () => {
  const given = readAttestations(file(one, { ...one, holds: false, note: 'the button is gone' }))
  const results = attestedResults(given)
  expect(results.map(({ outcome }) => outcome)).toEqual(['observed', 'fail'])
  expect(results[1]?.detail).toBe('attested by Ann on 2026-11-20: no, the button is gone')
})

test('of an open requirement a no is observed, of a should it is a warning', () => {
  const open = { ...one, requirement: 'publishing.added-again', holds: false }
  const should = { ...one, requirement: 'publishing.certificate-order', holds: false }
  const outcomes = attestedResults(readAttestations(file(open, should)))
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(['observed', 'warn'])
})

test.for([
  ['no file of attestations', 7],
  ['what a machine sees', file({ ...one, requirement: 'publishing.cname' })],
  ['an unknown requirement', file({ ...one, requirement: 'publishing.none' })],
  ['nobody', file({ ...one, who: '' })],
  ['no day', file({ ...one, when: 'lately' })],
  ['a word for yes', file({ ...one, holds: 'yes' })],
  ['an unknown member', file({ ...one, more: 1 })],
] as const)('it is not taken: %s', ([, value]) => {
  expect(() => readAttestations(value)).toThrow(/must/)
})
