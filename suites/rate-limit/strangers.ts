// Requests without a valid key are taken from no key's quota, whatever connection they come on.

import type { Context, LimitKey } from '../../engine/context.ts'
import { check, type Question } from '../../engine/declare.ts'
import { type Answered, statusOf, unauthorized } from '../../engine/exchange.ts'
import { told, violate } from '../../engine/expect.ts'
import { Suspicion, Untested } from '../../engine/outcome.ts'
import { hindsight } from './quota.ts'
import { forgottenMs, isServed, isShutOut, minuteSaid, waitForResetMs } from './reading.ts'
import { cheapest, short } from './round.ts'

/** So many in between, and so many when it is asked again: what each takes has to be the same. */
const strangers = 20
const strangersAgain = 4
/** As long as strangers take, about. */
const pauseMs = 100

interface Taken {
  readonly calls: number
  readonly evidence: readonly [Answered, Answered]
}

/**
 * Asks one list. By the test clock it is behind the next reset if so few are left that strangers
 * might spend them; in real time that would take a minute.
 */
const askFresh = async (context: Context, key: LimitKey): Promise<Answered> => {
  const ask = () => context.call({ ...short, key: key.label })
  const first = await ask()
  const said = minuteSaid(first, key.quota)
  if (!said || !context.limits.instant || said.remaining > strangers + 1) return first
  await context.limits.pass(waitForResetMs(said))
  return ask()
}

/** A call after which the key was shut out, though it had requests left. */
class ShutOut extends Suspicion {}

/** What is taken from Remaining by two calls of the key and by whatever happens in between. */
const takenWith = async (
  context: Context,
  key: LimitKey,
  between: () => Promise<void>,
): Promise<Taken> => {
  const before = await askFresh(context, key)
  await between()
  const after = await context.limits.insist(key.label, short)
  const [said, left] = [before, after].map((one) => minuteSaid(one, key.quota))
  if (isServed(before) && isShutOut(after) && said && said.remaining > 1) {
    throw new ShutOut('the key was refused with requests left', [before, after])
  }
  if (!said || !left || said.reset > left.reset) {
    throw new Untested('ambiguous', 'Remaining of the minute is not told', [before, after])
  }
  const calls = said.remaining - left.remaining
  if (calls > 0 || left.reset !== said.reset) return { calls, evidence: [before, after] }
  throw new Suspicion('Remaining does not fall', [before, after])
}

const spanMs = ([before, after]: Taken['evidence']) => after.receivedMs - before.sentMs

/** A server may limit requests without a valid key by their address, and then sends 429. */
const askStrangers = async (context: Context, count: number): Promise<void> => {
  for (let at = 0; at < count; at += 1) {
    const answer = await context.call(unauthorized(short, `Bearer no-key-of-anybody-${at}`))
    if (statusOf(answer) === 429) return
  }
}

/** So often it is tried with strangers, and without in between: another client comes not so. */
const shutOutTimes = 3

/** By the test clock: whether strangers shut the key out each time, and a pause never does. */
const isShutOutByStrangers = async (context: Context, key: LimitKey): Promise<boolean> => {
  const { limits } = context
  const isShut = async (between: () => Promise<void>): Promise<boolean> => {
    await limits.pass(forgottenMs)
    return takenWith(context, key, between).then(
      () => false,
      (error) => error instanceof ShutOut,
    )
  }
  for (let time = 1; time < shutOutTimes; time += 1) {
    if (await isShut(() => limits.linger(pauseMs))) return false
    if (!(await isShut(() => askStrangers(context, strangers)))) return false
  }
  return true
}

const takenByStrangers = async (context: Context, key: LimitKey): Promise<Taken> => {
  const { instant, shared } = context.limits
  try {
    return await takenWith(context, key, () => askStrangers(context, strangers))
  } catch (error) {
    if (!(error instanceof ShutOut) || !instant || shared) throw error
    if (!(await isShutOutByStrangers(context, key))) throw error
    const expected = `key ${key.label} served, whatever others send without a valid key`
    const [, refused] = error.evidence
    const actual = `${refused && told(refused)} after ${strangers} of those, each time`
    return violate(expected, actual, ...error.evidence)
  }
}

const free = check({
  id: 'isolation-invalid-key-free',
  requirement: 'auth.per-key',
  needs: { ...hindsight, keyed: 3, anonymous: strangers },
  sends:
    'Two lists with a valid key, and 20 requests without a valid one in between, or fewer if ' +
    'those are answered 429; if more than one is missing, the same with none and with four.',
  fails:
    'Each call without a valid key took the same from Remaining, in both rows, and a quiet pause ' +
    'took nothing; or, by the test clock, the valid key is refused after them, twice, 25 hours ' +
    'apart.',
  inconclusive: 'Remaining is not given, or another client may have used the key (ambiguous)',
  run: async (context) => {
    await context.control('list')
    const key = cheapest(context.limits)
    const found = await takenByStrangers(context, key)
    const each = (found.calls - 1) / strangers
    if (each < 1) return
    // Another client takes as much while nobody asks without a key, or not the same of each.
    const quiet = await takenWith(context, key, () => context.limits.linger(spanMs(found.evidence)))
    const again = await takenWith(context, key, () => askStrangers(context, strangersAgain))
    const evidence = [...quiet.evidence, ...again.evidence]
    const actual = `${found.calls} taken, with ${strangers} of those in between`
    const isSame = Number.isInteger(each) && again.calls === 1 + each * strangersAgain
    if (context.limits.shared || quiet.calls > 1 || !isSame) {
      throw new Suspicion(`${actual}; a key that nobody else uses decides`, evidence)
    }
    const expected = 'one request taken from Remaining, as requests without a valid key are not its'
    const more = `${again.calls} with ${strangersAgain}, and ${quiet.calls} without`
    violate(expected, `${actual}, ${more}`, ...evidence)
  },
})

export const strangersFree: readonly Question[] = [free]
