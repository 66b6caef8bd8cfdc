// The end of a ban: it is waited out as the latest answer tells, or longer each time.
import { check } from '../kit/check.ts'
import type { Context } from '../kit/context.ts'
import type { Answered } from '../kit/exchange.ts'
import { told, violate } from '../kit/expect.ts'
import { Suspicion } from '../kit/outcome.ts'
import { gapsIn } from '../kit/quota/quota-judgements.ts'
import type { Round } from '../kit/quota/round.ts'
import { isAlone, wasFelt } from './alone.ts'
import { exhausted } from './exhausted.ts'
import { answered } from './flood.ts'
import type { Knocks } from './knocks.ts'
import { aftermath, knockedNow, noBan } from './knocks.ts'
import { isShutOut, waitOf } from './reading.ts'
import { waitableMs } from './retry.ts'
import { short } from './round.ts'

/** A wait that nobody outlives is no temporary one. */
const lifeMs = 10 * 365 * 86_400_000
const triesMost = 3
/** Where nothing is told, the waits are doubled, within a day or two minutes and a half. */
const untoldMs = { first: 60_000, instant: 86_400_000, real: 75_000 }

interface Ending {
  readonly tries: readonly Answered[]
  /** How long the key had been silent in all. */
  readonly silentMs: number
}

const wantsWait = (answer: Answered): boolean => {
  const wait = waitOf(answer)
  return 'ms' in wait && wait.ms > 0
}

/** Waits as the latest answer tells, or longer each time, until the key is served. */
const waitOut = async (context: Context, from: Answered, label: string): Promise<Ending> => {
  const { limits } = context
  const mostMs = limits.instant ? untoldMs.instant : untoldMs.real
  const tries: Answered[] = []
  let latest = from
  let silentMs = 0
  for (let untold = untoldMs.first, broken = 0; broken < triesMost && untold <= mostMs; ) {
    const isTold = wantsWait(latest)
    const ms = isTold ? waitableMs(limits, latest) + 50 : untold
    await limits.pass(ms)
    silentMs += ms
    latest = await answered(limits.insist(label, short))
    tries.push(latest)
    if (!isShutOut(latest)) break
    if (isTold) broken += 1
    else untold *= 2
  }
  return { tries, silentMs }
}

const ended = (context: Context): Promise<Ending> =>
  context.once(`the ban waited out, ${context.limits.brokenAt()}`, async () => {
    const { ban, knocks, refusal, key } = await knockedNow(context)
    return waitOut(context, ban ?? knocks.at(-1) ?? refusal, key.label)
  })

/** A key that is served no more cannot be asked; by the test clock what was seen of it will do. */
const wasAloneIn = async (context: Context, round: Round): Promise<boolean> => {
  const { instant, shared } = context.limits
  if (!instant) return isAlone(context, round.key, round)
  return !shared && gapsIn(round) === 0 && !wasFelt(context, round.key)
}

const expectEnd = async (
  context: Context,
  knocks: Knocks,
  { tries, silentMs }: Ending,
): Promise<void> => {
  const last = tries.at(-1) as Answered
  if (!isShutOut(last)) return
  const evidence = [knocks.refusal, ...tries]
  const round = await exhausted(context, knocks.key)
  if (!wantsWait(last) || !(await wasAloneIn(context, round))) {
    const seconds = Math.round(silentMs / 1000)
    throw new Suspicion(
      `the key is still refused after ${seconds} s; a longer wait decides`,
      evidence,
    )
  }
  const times = `${tries.length} times`
  violate(
    'a ban that ends when it says',
    `waited as told ${times}, and got ${told(last)}`,
    ...evidence,
  )
}

export const ends = check(
  'ban-ends',
  'ban.ends',
  { ...aftermath, keyed: triesMost },
  async (context) => {
    const knocks = await knockedNow(context)
    const latest = knocks.ban ?? knocks.knocks.at(-1) ?? knocks.refusal
    const wait = waitOf(latest)
    if ('ms' in wait && wait.ms > lifeMs) {
      violate('a temporary ban', `one of ${Math.round(wait.ms / 86_400_000)} days`, latest)
    }
    const ending = await ended(context)
    await expectEnd(context, knocks, ending)
    if (!knocks.ban && ending.tries.length === 1) noBan(knocks)
  },
)
