// The hosts of the publishing model's tests, and the states their DNS can be in.
import type { DnsFacts } from '../model/state.ts'

/** The label to set a record at, or '@' at an apex: written down by hand. */
export const labels = {
  'zoo.co.uk': '@',
  'www.zoo.co.uk': 'www',
  'a.b.zoo.co.uk': 'a.b',
  'docs.farm.example': 'docs',
  'farm.example': '@',
} as const
export type Host = keyof typeof labels
export const hosts = Object.keys(labels) as Host[]

export const situations = ['good', 'none', 'wrong', 'conflict', 'two'] as const
export type Situation = (typeof situations)[number]

export const platformHost = 'sites.publish.example'
const own = '198.51.100.1'
const foreign = '203.0.113.9'

export const factsOf = (host: Host, situation: Situation): DnsFacts => {
  const isApex = labels[host] === '@'
  const facts = (cnames: string[], addresses: string[]) => ({
    cnames,
    addresses,
    platformAddresses: [own, '2001:db8::1'],
  })
  switch (situation) {
    case 'good':
      return isApex ? facts([], [own]) : facts([platformHost], [])
    case 'none':
      return facts([], [])
    case 'wrong':
      return isApex ? facts([], [foreign]) : facts(['elsewhere.example'], [])
    case 'conflict':
      return isApex ? facts([], [own, foreign]) : facts([platformHost], [own])
    case 'two':
      return isApex ? facts([platformHost], [own]) : facts([platformHost, 'elsewhere.example'], [])
  }
}
