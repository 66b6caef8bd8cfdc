// Requests without a valid key are taken from no key's quota, whatever connection they come on.
import type { Question } from '../kit/check.ts'
import { check } from '../kit/check.ts'
import type { Context } from '../kit/context.ts'
import type { Answered } from '../kit/exchange.ts'
import { violate } from '../kit/expect.ts'
import { Suspicion, Untested } from '../kit/outcome.ts'
import { unauthorized } from '../kit/request.ts'
import { hindsight } from './quota.ts'
import { minuteSaid } from './reading.ts'
import { cheapest, short } from './round.ts'

/** So many in between, and so many when it is asked again: what each takes has to be the same. */
const strangers = 6
const strangersAgain = 4

interface Taken {
  readonly calls: number
  readonly evidence: readonly [Answered, Answered]
}

/** What is taken from Remaining by two calls of the key and by whatever happens in between. */
const takenWith = async (context: Context, between: () => Promise<void>): Promise<Taken> => {
  const key = cheapest(context.limits)
  const ask = () => context.call({ ...short, key: key.label })
  const before = await ask()
  await between()
  const after = await ask()
  const [said, left] = [before, after].map((one) => minuteSaid(one, key.quota))
  if (!said || !left || said.reset > left.reset) {
    throw new Untested('ambiguous', 'Remaining of the minute is not told', [before, after])
  }
  const calls = said.remaining - left.remaining
  if (calls > 0 || left.reset !== said.reset) return { calls, evidence: [before, after] }
  throw new Suspicion('Remaining does not fall', [before, after])
}

const spanMs = ([before, after]: Taken['evidence']) => after.receivedMs - before.sentMs

const free = check(
  'isolation-invalid-key-free',
  'auth.per-key',
  { ...hindsight, keyed: 2, anonymous: strangers },
  async (context) => {
    await context.control('list')
    const askStrangers = (count: number) => async () => {
      for (let at = 0; at < count; at += 1) {
        await context.call(unauthorized(short, `Bearer no-key-of-anybody-${at}`))
      }
    }
    const found = await takenWith(context, askStrangers(strangers))
    const each = (found.calls - 1) / strangers
    if (each < 1) return
    // Another client takes as much while nobody asks without a key, or not the same of each.
    const quiet = await takenWith(context, () => context.limits.linger(spanMs(found.evidence)))
    const again = await takenWith(context, askStrangers(strangersAgain))
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
)

export const strangersFree: readonly Question[] = [free]
