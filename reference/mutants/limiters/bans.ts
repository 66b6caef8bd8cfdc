// Faults of bans: too soon, for ever, on others, without a word of how long.
import type { Plan } from '../../../spec/plans.ts'
import type { KeyRecord } from '../../keys.ts'
import type { Mutant } from '../../mutant.ts'
import { onOperation } from '../over.ts'
import {
  addingUp,
  banned,
  banningAtOnce,
  byAddress,
  neverForgiven,
  type Shutting,
  shutting,
} from './banning.ts'

const own = (offender: KeyRecord, caller: KeyRecord) => offender === caller
const samePlan = (offender: KeyRecord, caller: KeyRecord) => offender.plan === caller.plan
const anyone = () => true

const forEverMs = 1_000 * 365 * 86_400_000

const told: Omit<Shutting, 'hits'> = { afterRefusals: 3, lastsMs: 90_000, isTold: true }

const pro: { keys: readonly Plan[] } = { keys: ['pro'] }

const as403 = banned((answer) => ({
  ...answer,
  status: 403,
  body: answer.body.replace('429', '403'),
}))

const remembered: readonly Mutant[] = [
  {
    id: 'ban-count-kept-after-ban',
    breaks: 'ban.only-repeated',
    caughtBy: 'ban-not-first-after-bans',
    fault: 'The count of refusals is never set back, so after a ban each first refusal bans.',
    ...addingUp(({ key }) => key, false),
    ...as403,
  },
  {
    id: 'ban-count-of-all-keys',
    breaks: 'ban.only-repeated',
    caughtBy: 'ban-not-first-after-bans',
    fault: 'The refusals of all keys are counted as one, and the fifth bans its key.',
    ...addingUp(() => 'all', true),
    ...as403,
  },
]

const whom: readonly Mutant[] = [
  {
    id: 'ban-at-first-refusal',
    breaks: 'ban.only-repeated',
    caughtBy: 'ban-not-first',
    fault: 'The first refusal puts the key on a list of blocked ones, whatever Retry-After says.',
    ...shutting({ afterRefusals: 1, lastsMs: 300_000, hits: own, isTold: true }),
    ...banned((answer) => ({ ...answer, status: 403, body: answer.body.replace('429', '403') })),
  },
  {
    id: 'ban-at-first-refusal-as-429',
    breaks: 'ban.only-repeated',
    caughtBy: 'ban-not-first',
    fault: 'The first refusal already bans the key, for five minutes, and says so.',
    ...banningAtOnce(300_000),
  },
  {
    id: 'ban-at-first-refusal-untold',
    breaks: 'retry-after.true',
    caughtBy: 'retry-after-served',
    fault: 'The first refusal speaks of the minute, and bans the key for one and a half.',
    ...shutting({ afterRefusals: 1, lastsMs: 90_000, hits: own, isTold: true }),
  },
  {
    id: 'ban-of-the-address',
    breaks: 'ban.own-key',
    caughtBy: 'ban-own-key',
    fault: 'The ban is on the address, and hits every key.',
    ...pro,
    ...shutting({ ...told, hits: anyone }),
  },
  {
    id: 'ban-of-the-plan',
    breaks: 'ban.own-key',
    caughtBy: 'ban-own-key',
    fault: 'All keys of the plan are banned with one of them.',
    ...shutting({ ...told, hits: samePlan }),
  },
  {
    id: 'ban-for-ever',
    breaks: 'ban.ends',
    caughtBy: 'ban-ends',
    fault: 'Somebody has to lift a ban by hand.',
    ...shutting({ ...told, lastsMs: forEverMs, hits: own, isTold: false }),
  },
  {
    id: 'ban-for-ever-and-told',
    breaks: 'ban.ends',
    caughtBy: 'ban-ends',
    fault: 'A ban lasts until somebody lifts it, and says a thousand years.',
    ...shutting({ ...told, lastsMs: forEverMs, hits: own }),
  },
  {
    id: 'ban-longer-than-told',
    breaks: 'ban.ends',
    caughtBy: 'ban-ends',
    fault: 'The answers of a ban speak of the minute, and the ban lasts ten.',
    ...shutting({ ...told, lastsMs: 600_000, hits: own, isTold: false }),
  },
  {
    id: 'ban-a-little-longer-than-told',
    breaks: 'ban.ends',
    caughtBy: 'ban-ends',
    fault: 'The answers of a ban speak of the minute, and the ban ends in the third one.',
    ...shutting({ ...told, lastsMs: 150_000, hits: own, isTold: false }),
  },
  {
    id: 'ban-prolonged-untold',
    breaks: 'ban.ends',
    caughtBy: 'ban-ends',
    fault: 'Each call begins the ban anew, and its answer still states the end before it.',
    ...shutting({ ...told, hits: own, isProlonged: true }),
  },
  {
    id: 'ban-leaves-no-quota',
    breaks: 'ban.ends',
    caughtBy: 'ban-ends',
    fault: 'The counter of a banned key is set to its limit, and expires no more.',
    ...neverForgiven,
  },
  {
    id: 'ban-of-the-address-after-thirty',
    breaks: 'ban.own-key',
    caughtBy: 'ban-own-key',
    fault: 'Thirty refusals in a row block the address.',
    ...byAddress({ afterRefusals: 30, lastsMs: 90_000 }),
  },
]

const how: readonly Mutant[] = [
  {
    id: 'ban-without-rate-headers',
    breaks: 'headers.limit',
    caughtBy: 'header-limit-present',
    fault: 'A banned key is refused by the firewall, which knows no rate limit.',
    ...banned(({ headers, ...answer }) => {
      const kept = Object.entries(headers).filter(([name]) => !name.startsWith('X-RateLimit'))
      return { ...answer, headers: Object.fromEntries(kept) }
    }),
  },
  {
    id: 'ban-without-retry-after',
    breaks: 'ban.retry-after',
    caughtBy: 'ban-retry-after',
    fault: 'A ban is answered 403, without a word of how long.',
    ...banned((answer) => {
      const { 'Retry-After': _wait, ...headers } = answer.headers
      return { ...answer, status: 403, headers, body: answer.body.replace('429', '403') }
    }),
  },
  {
    id: 'ban-retry-after-zero',
    breaks: 'ban.retry-after',
    caughtBy: 'ban-retry-after',
    fault: 'A ban knows no window, so the time to its reset is none.',
    ...banned((answer) => ({ ...answer, headers: { ...answer.headers, 'Retry-After': '0' } })),
  },
]

const effects: readonly Mutant[] = [
  {
    id: 'ban-stores-creations',
    breaks: 'limits.no-effect',
    caughtBy: 'ban-creation-no-effect',
    fault: 'The ban is looked up after the handler, and takes the response alone.',
    ...onOperation('createPet', (answer, request, { readNewPet, store }) => {
      const reading = readNewPet(request)
      if (answer.body.includes('key_banned') && 'value' in reading) store.add(reading.value)
      return answer
    }),
  },
]

export const banMutants: readonly Mutant[] = [...remembered, ...whom, ...how, ...effects]
