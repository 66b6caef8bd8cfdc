// The work of `petvet domains check`: one look at every domain, or at what was seen before.

import { claimFolder } from '../../cli/claim-folder.ts'
import { onInterrupt } from '../../cli/interrupt.ts'
import { readOutput } from '../../cli/output-settings.ts'
import type { OutputFlags } from '../../cli/run-flags.ts'
import { UsageError } from '../../cli/usage-error.ts'
import { acquire } from '../check/acquire/acquire.ts'
import type { Facts } from '../check/facts.ts'
import { type AskedFlags, acquireOptions, askedOf } from './asked.ts'
import { type ConcludeFlags, conclude, readConclusion } from './conclude.ts'
import { readFacts } from './facts-file.ts'
import { readDomains } from './read-domains.ts'

interface CheckFlags extends AskedFlags, ConcludeFlags, OutputFlags {
  readonly facts: string | undefined
}

export const runDomainsCheck = async (flags: CheckFlags): Promise<number> => {
  const conclusion = readConclusion('check', flags, readOutput(flags, process.cwd()))
  const interrupt = onInterrupt()
  try {
    if (flags.facts !== undefined) {
      const facts = judgedAgain(readFacts(flags.facts), flags)
      claimFolder(conclusion.output.folder)
      return conclude(facts, [], conclusion, interrupt.signal)
    }
    const { config, notes } = readDomains(flags.domains)
    const options = acquireOptions(flags, config, interrupt.signal)
    claimFolder(conclusion.output.folder)
    return conclude(await acquire(options), notes, conclusion, interrupt.signal)
  } finally {
    interrupt.release()
  }
}

/** The flags that are given win over those that the facts were gathered with. */
const judgedAgain = (facts: Facts, flags: CheckFlags): Facts => {
  if (flags.domains !== undefined) throw new UsageError('--facts holds its domains: no --domains')
  const told = askedOf({ ...flags, 'platform-host': facts.asked.platformHost })
  const asked = {
    ...facts.asked,
    ...(flags.marker !== undefined && { marker: told.marker }),
    ...(flags.plan !== undefined && { plan: told.plan }),
    ...(flags.ca !== undefined && { authorities: told.authorities }),
    ...(flags.since !== undefined && { since: told.since }),
    ...(flags['verified-at'] !== undefined && { verifiedAt: told.verifiedAt }),
    ...(flags['allow-proxy'] !== undefined && { allowProxy: told.allowProxy }),
  }
  return { ...facts, asked }
}
