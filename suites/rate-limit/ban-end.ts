// The end of a ban: it is waited out as the latest answer tells, or longer each time.
import { check } from '../../engine/check.ts'
import type { Context } from '../../engine/context.ts'
import type { Answered } from '../../engine/exchange.ts'
import { told, violate } from '../../engine/expect.ts'
import { Suspicion } from '../../engine/outcome.ts'
import { gapsIn } from '../../engine/quota/round.ts'
import { isAlone, wasFelt } from './alone.ts'
import { answered } from './flood.ts'
import type { Knocks } from './knocks.ts'
import { aftermath, knocked, knockedAgain, latestOf, noBan } from './knocks.ts'
import { isShutOut, waitOf } from './reading.ts'
import { waitableMs } from './retry.ts'
import { short } from './round.ts'

/** A wait that nobody outlives is no temporary one. */
const lifeMs = 10 * 365 * 86_400_000
const triesMost = 3
/** Where nothing is told, the waits are doubled, within a day or two minutes and a half. */
const untoldMs = { first: 60_000, instant: 86_400_000, real: 75_000 }
/** Half of a shorter wait does not differ from the whole, as both are whole seconds. */
const halvedLeastMs = 10_000

export interface Ending {
  /** The response in the middle of the ban, where one was requested. */
  readonly halfway: Answered | undefined
  /** Each after the wait of the response before it, or after a wait of our own. */
  readonly tries: readonly Answered[]
  /** The first of them that was refused after a stated wait, and the response that stated it. */
  readonly broken: readonly Answered[]
  /** How long the key had been silent in all. */
  readonly silentMs: number
}

const wantsWait = (answer: Answered): boolean => {
  const wait = waitOf(answer)
  return 'ms' in wait && wait.ms > 0
}

/** One request in the middle of a ban, which may prolong it: from then on its response counts. */
const askHalfway = async (
  context: Context,
  { ban, key }: Knocks,
): Promise<Answered | undefined> => {
  const { limits } = context
  if (!limits.instant || !ban || !wantsWait(ban)) return undefined
  const ms = waitableMs(limits, ban)
  if (ms < halvedLeastMs) return undefined
  await limits.pass(ms / 2)
  return answered(limits.insist(key.label, short))
}

/** Waits as the latest answer tells, or longer each time, until the key is served. */
export const waitOut = async (context: Context, knocks: Knocks): Promise<Ending> => {
  const { limits } = context
  const { label } = knocks.key
  const mostMs = limits.instant ? untoldMs.instant : untoldMs.real
  const halfway = await askHalfway(context, knocks)
  const tries: Answered[] = []
  let broken: Answered[] = []
  let latest = halfway ?? latestOf(knocks)
  let silentMs = 0
  let told = 0
  for (let untold = untoldMs.first; isShutOut(latest) && told < triesMost && untold <= mostMs; ) {
    const isTold = wantsWait(latest)
    const ms = isTold ? waitableMs(limits, latest) + 50 : untold
    await limits.pass(ms)
    silentMs += ms
    const answer = await answered(limits.insist(label, short))
    tries.push(answer)
    if (isTold && isShutOut(answer) && broken.length === 0) broken = [latest, answer]
    if (isTold) told += 1
    else untold *= 2
    latest = answer
  }
  return { halfway, tries, broken, silentMs }
}

const ended = (context: Context): Promise<Ending> =>
  context.once('the ban waited out', async () => waitOut(context, await knocked(context)))

/** A key that is served no more cannot be asked; by the test clock what was seen of it will do. */
const wasAlone = async (
  context: Context,
  { key, round }: Knocks,
  isOver: boolean,
): Promise<boolean> => {
  const { instant, shared } = context.limits
  if (isOver || !instant) return isAlone(context, key, round)
  return !shared && gapsIn(round) === 0 && !wasFelt(context, key)
}

export const expectEnd = async (
  context: Context,
  knocks: Knocks,
  ending: Ending,
): Promise<void> => {
  const { tries, silentMs } = ending
  const last = tries.at(-1)
  if (!last || !isShutOut(last)) return
  const evidence = [knocks.refusal, ...tries]
  if (!wantsWait(last) || !(await wasAlone(context, knocks, false))) {
    const seconds = Math.round(silentMs / 1000)
    throw new Suspicion(
      `the key is still refused after ${seconds} s; a longer wait decides`,
      evidence,
    )
  }
  const actual = `waited as told ${tries.length} times, and got ${told(last)}`
  violate('a ban that ends when it says', actual, ...evidence)
}

/**
 * It ended, and later than a response had stated. By the test clock it is drawn once more, as
 * another client may have prolonged it: in real time that is not told apart.
 */
const expectTrue = async (context: Context, knocks: Knocks, ending: Ending): Promise<void> => {
  const { broken } = ending
  const last = broken.at(-1)
  if (!last) return
  if (!context.limits.instant || !(await wasAlone(context, knocks, true))) {
    throw new Suspicion('another client may have prolonged the ban', broken)
  }
  const again = await waitOut(context, await knockedAgain(context))
  if (again.broken.length === 0) {
    throw new Suspicion('the key was refused once after the stated wait, and not again', broken)
  }
  const actual = `waited as told, and got ${told(last)}`
  violate('a ban that ends when it says', actual, knocks.refusal, ...broken)
}

export const ends = check({
  id: 'ban-ends',
  requirement: 'ban.ends',
  needs: { ...aftermath, keyed: 2 },
  sends:
    'With the test clock one request in the middle of the ban. Then the key is silent for as ' +
    'long as its latest response states, or for longer and longer if it states nothing, and ' +
    'sends one request; after a stated wait three times at most.',
  fails:
    'A wait of more than ten years is stated; or the key is still refused after three stated ' +
    'waits; or, by the test clock and in two bans, after one.',
  inconclusive:
    'no ban came (inapplicable), it waited too briefly (ambiguous), or another client may have ' +
    'used the key (ambiguous)',
  run: async (context) => {
    const knocks = await knocked(context)
    const wait = knocks.ban && waitOf(knocks.ban)
    if (knocks.ban && wait && 'ms' in wait && wait.ms > lifeMs) {
      const actual = `one of ${Math.round(wait.ms / 86_400_000)} days`
      violate('a temporary ban', actual, knocks.ban)
    }
    const ending = await ended(context)
    await expectEnd(context, knocks, ending)
    await expectTrue(context, knocks, ending)
    if (!knocks.ban) noBan(knocks)
  },
})
