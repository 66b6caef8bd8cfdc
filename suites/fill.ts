// Enough pets for a list of a hundred to be cut: those that the other checks did not create.

import { type AnyCheck, type Check, check, type Stage, sendsRequests } from '../engine/declare.ts'
import { unknownCategory } from './create/categories.ts'
import { scarcestStatus } from './pets.ts'
import { bodyOf, controlFailed, creating, listPets, made } from './requests.ts'

/** One more than any list may hold. */
const enough = 101

/**
 * How many the other creations of a run leave: one or none at a target that accepts all that is
 * optional. One that refuses it creates no pets with extreme names or spaces around them, with
 * categories that are not positive, unknown or spelled otherwise, with repeated or other members,
 * a status of null, an id or another media type; past its removal date none that are fetched.
 */
const left = { usual: 1, further: 33 }

/** @param max how many creations it may cost */
const fillWith =
  (max: number): Check['run'] =>
  async (context) => {
    const missing = Math.min(max, enough - context.herd.seen.size)
    for (let at = 0; at < missing; at += 1) {
      const status = scarcestStatus(context)
      const category = 2n ** BigInt(at % 63)
      await made(context, bodyOf(context, { tail: `of a crowd, ${at}`, category, status }))
    }
  }

export const fill: Check = check({
  id: 'create-hundredth-201',
  requirement: 'create.success',
  needs: { ...creating(left.usual), further: left.further },
  sends:
    'As many valid creations as are missing to 101 known pets: none or a few if the other ' +
    'creations of a run are accepted, up to 41 if everything optional is refused, and up to 101 ' +
    'if it runs without them.',
  fails: 'Any status but 201.',
  inconclusive: controlFailed.create,
  run: fillWith(left.usual + left.further),
})

/** All that the chosen checks need: one list first shows how many exist already. */
const fillAlone = (pets: number): Check => ({
  ...fill,
  needs: creating(pets + 1),
  run: async (context) => {
    if (context.herd.seen.size < pets) await context.call(listPets({ limit: 100 }))
    await fillWith(Math.max(0, pets - context.herd.seen.size))(context)
  },
})

/** The stages that create what other checks judge. */
const makers = {
  creations: ['probes', 'creations'],
  refusals: ['refusals'],
} as const

/** A creation without a valid key, which a faulty target may accept. */
const isStranger = (question: AnyCheck): boolean =>
  sendsRequests(question) &&
  question.needs.stage === 'unauthenticated' &&
  (question.needs.allow?.includes('write') ?? false)

/**
 * The chosen checks, preceded by those that create what they judge, so that a few of a catalogue
 * can run alone.
 */
export const withSetUp = (
  all: readonly AnyCheck[],
  chosen: readonly AnyCheck[],
): readonly AnyCheck[] => {
  const wanted = new Set(chosen.filter(sendsRequests).map(({ needs }) => needs.made))
  const isShort = !wanted.has('creations') && (wanted.has('crowd') || chosen.includes(fill))
  const stages: readonly Stage[] = [
    ...(wanted.has('creations') ? makers.creations : []),
    ...(wanted.has('refusals') ? makers.refusals : []),
  ]
  const isWriting = chosen.some(
    (question) => sendsRequests(question) && (question.needs.allow?.includes('write') ?? false),
  )
  const isMaker = (question: AnyCheck) =>
    (question === unknownCategory && (isWriting || isShort)) ||
    (sendsRequests(question) && stages.includes(question.needs.stage)) ||
    (wanted.has('refusals') && isStranger(question))
  const asked = all.filter((question) => chosen.includes(question) || isMaker(question))
  const crowds = chosen
    .filter(sendsRequests)
    .filter(({ needs }) => needs.made === 'crowd')
    .map(({ needs }) => needs.pets ?? enough)
  const pets = chosen.includes(fill) ? enough : Math.max(...crowds)
  return isShort ? [fillAlone(pets), ...asked.filter((question) => question !== fill)] : asked
}
