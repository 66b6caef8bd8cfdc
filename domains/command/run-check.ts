// The work of `petvet domains check`: one look at every domain, or at what was seen before.
import { UsageError } from '../../cli/usage-error.ts'
import { acquire } from '../check/acquire/acquire.ts'
import type { Facts } from '../check/facts.ts'
import { askedOf } from './asked.ts'
import { readFacts } from './files.ts'
import { judgeAgain, type LookFlags, runLook } from './look.ts'

interface CheckFlags extends LookFlags {
  readonly facts: string | undefined
}

export const runDomainsCheck = async (flags: CheckFlags): Promise<number> => {
  if (flags.facts !== undefined) {
    return judgeAgain('check', flags, withFlags(readFacts(flags.facts), flags))
  }
  return runLook('check', flags, ({ options, claim }) => {
    claim()
    return acquire(options)
  })
}

/** The flags that are given win over those that the facts were gathered with. */
const withFlags = (facts: Facts, flags: CheckFlags): Facts => {
  if (flags.domains !== undefined) throw new UsageError('--facts holds its domains: no --domains')
  const given = askedOf({ ...flags, 'platform-host': facts.asked.platformHost })
  const asked = {
    ...facts.asked,
    ...(flags.marker !== undefined && { marker: given.marker }),
    ...(flags.plan !== undefined && { plan: given.plan }),
    ...(flags.ca !== undefined && { authorities: given.authorities }),
    ...(flags.since !== undefined && { since: given.since }),
    ...(flags['verified-at'] !== undefined && { verifiedAt: given.verifiedAt }),
    ...(flags['allow-proxy'] !== undefined && { allowProxy: given.allowProxy }),
  }
  return { ...facts, asked }
}
