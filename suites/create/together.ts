// Claims that pass alone and fail together: the smallest set that fails is found, and reported.

import type { Context } from '../../engine/check/context.ts'
import { check } from '../../engine/check/declare.ts'
import { expectMember, violateAs } from '../../engine/check/expect.ts'
import { expectEach } from '../../engine/check/findings.ts'
import { Untested, Violation } from '../../engine/check/outcome.ts'
import {
  carrying,
  failingAlone,
  type Judge,
  sendCarrying,
  sendTogether,
  wrongIn,
} from '../pets/carried.ts'
import { type Claim, claims, packed } from '../pets/claims.ts'
import { petWithId } from '../pets/compare-pets.ts'
import { afterControl, expectCreated } from '../pets/requests.ts'

/** Each member that is returned is as it was sent. */
const expectAll =
  (context: Context): Judge =>
  async ({ sent, response }) => {
    await expectCreated(context, response)
    const pet = petWithId(response)
    for (const [member, wanted] of Object.entries(sent)) {
      if (member in pet) expectMember(pet, member, wanted, response)
    }
  }

/** Halves of a set, then quarters, and so on; what is left without each of them. */
const partsOf = (all: readonly Claim[], parts: number): (readonly Claim[])[] => {
  const size = Math.ceil(all.length / parts)
  const cut = Array.from({ length: parts }, (_, at) => all.slice(at * size, (at + 1) * size))
  const without = cut.map((part) => all.filter((claim) => !part.includes(claim)))
  return [...cut, ...without].filter(({ length }) => length > 0 && length < all.length)
}

/** Further creations that the search for the smallest sets of a run may cost. */
const maxSearch = 12

interface Failing {
  readonly carried: readonly Claim[]
  readonly violation: Violation
}

/** Sends one set after another until one fails. @param left how many more may be sent */
const firstFailing = async (
  context: Context,
  sets: readonly (readonly Claim[])[],
  left: { searches: number },
): Promise<Failing | undefined> => {
  for (const carried of sets) {
    if (left.searches === 0) return undefined
    left.searches -= 1
    const violation = await wrongIn(expectAll(context), await sendCarrying(context, carried))
    if (violation instanceof Violation) return { carried, violation }
  }
  return undefined
}

/** The smallest set of claims that fails, by delta debugging. */
const smallest = async (
  context: Context,
  first: Failing,
  left: { searches: number },
): Promise<Failing> => {
  let found = first
  for (let parts = 2; parts <= found.carried.length; ) {
    const smaller = await firstFailing(context, partsOf(found.carried, parts), left)
    if (!smaller && parts === found.carried.length) return found
    parts = smaller ? 2 : Math.min(2 * parts, found.carried.length)
    found = smaller ?? found
  }
  return found
}

const inWords = (carried: readonly Claim[]): string => carried.map(({ words }) => words).join(', ')

const expectTogether = async (
  context: Context,
  place: number,
  left: { searches: number },
): Promise<void> => {
  const together = await sendTogether(context, place)
  if (!together || (await wrongIn(expectAll(context), together)) === undefined) return
  const failing = await failingAlone(context)
  const known = packed[place]?.find((claim) => failing.has(claim))
  // To obey such a field breaks only a should.
  if (known?.overriding) return
  if (known)
    throw new Untested('blocked', `a creation with ${known.words} fails alone`, [together.response])
  // What passes when it is repeated proves nothing.
  const again = await firstFailing(context, [packed[place] ?? []], left)
  if (!again) return
  const found = await smallest(context, again, left)
  const { wrong, expected, actual, evidence } = found.violation
  const which = `a creation with ${inWords(found.carried)}`
  // The check of this claim reports it.
  if (found.carried.length === 1) throw new Untested('blocked', `${which} fails alone`, evidence)
  violateAs(wrong, `${expected} for ${which}, each of which passes alone`, actual, ...evidence)
}

const all = Object.values(claims).flat()

/** Other checks judge single claims of these creations. */
export const together = check({
  id: 'create-claims-together-201',
  requirement: 'create.success',
  needs: carrying(all),
  sends:
    `${packed.length} valid \`POST /pets\` that carry the names, categories, statuses, media ` +
    'types and framings of other checks, several in each. If one fails it is repeated with ' +
    'fewer of them.',
  fails:
    'Any status other than 201, or a member that is not as sent, for several of these at once, ' +
    'although each of them passes alone. The check of a claim that fails alone reports it.',
  ...afterControl('create', async (context) => {
    const left = { searches: maxSearch }
    await expectEach([...packed.keys()], (place) => expectTogether(context, place, left))
  }),
})
