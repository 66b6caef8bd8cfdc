// A creation that is sent during a ban is refused like any other call, and leaves no trace.
import { check } from '../../engine/declare.ts'
import { told, violate } from '../../engine/expect.ts'
import { Suspicion, Untested } from '../../engine/outcome.ts'
import { createPet } from '../requests.ts'
import { aftermath, knocked, noBan } from './knocks.ts'
import { isServed, isShutOut } from './reading.ts'
import { listed, sentBody } from './refusal.ts'

/** Comes after `ban-ends`, which waits the ban out. */
export const creation = check({
  id: 'ban-creation-no-effect',
  requirement: 'limits.no-effect',
  needs: { ...aftermath, keyed: 2, allow: ['exhaust', 'ban', 'write'] },
  sends:
    'One creation with the banned key; once the ban is over a valid one, and a list of their ' +
    'status.',
  fails: 'The pet of the first one is listed.',
  inconclusive:
    'no ban came (inapplicable), it was over by then, or the list does not hold both (ambiguous)',
  run: async (context) => {
    await context.control('create')
    const known = await knocked(context)
    const refused = known.creation
    if (!known.ban || !refused) return noBan(known)
    if (!isShutOut(refused)) {
      throw new Suspicion(`the ban was over by then: ${told(refused)}`, [refused])
    }
    const { name, status } = sentBody(refused)
    const sent = context.newPet({ status: String(status) })
    const control = await context.call({ ...createPet(sent), key: known.key.label })
    if (!isServed(control)) throw new Untested('blocked', 'a creation was refused', [control])
    const { answer, pets } = await listed(context, String(status), known.key)
    if (pets.some((pet) => pet.name === name)) {
      violate('no trace of a creation sent during a ban', `${name} is listed`, refused, answer)
    }
    if (pets.length < 100 && pets.some((pet) => pet.name === sent.name)) return
    throw new Suspicion('the list does not hold all pets of its status', [refused, answer])
  },
})
