// `petvet domains check`: one look at every domain, or a second judgement of what was observed.

import { acquire } from '../../../domains/check/acquire/acquire.ts'
import type { Facts } from '../../../domains/check/facts.ts'
import { command, text } from '../../command.ts'
import { UsageError } from '../../usage-error.ts'
import { readFacts } from './files.ts'
import { judgeAgain, runLook } from './look.ts'
import { type LookFlags, lookFlags, settingsOf } from './options.ts'

export const check = command(
  { ...lookFlags, facts: text('judge what was observed before, from this file; uses no network') },
  async (flags) => {
    if (flags.facts !== undefined) {
      return judgeAgain('check', flags, withFlags(readFacts(flags.facts), flags))
    }
    return runLook('check', flags, ({ options, claim }) => {
      claim()
      return acquire(options)
    })
  },
)

/** Given flags win over those that the facts were gathered with. */
const withFlags = (facts: Facts, flags: LookFlags): Facts => {
  if (flags.domains !== undefined)
    throw new UsageError('--facts includes the domains: remove --domains')
  const given = settingsOf({ ...flags, 'platform-host': facts.settings.platformHost })
  const settings = {
    ...facts.settings,
    ...(flags.marker !== undefined && { marker: given.marker }),
    ...(flags.plan !== undefined && { plan: given.plan }),
    ...(flags.ca !== undefined && { authorities: given.authorities }),
    ...(flags.since !== undefined && { since: given.since }),
    ...(flags['verified-at'] !== undefined && { verifiedAt: given.verifiedAt }),
    ...(flags['allow-proxy'] !== undefined && { allowProxy: given.allowProxy }),
  }
  return { ...facts, settings }
}
