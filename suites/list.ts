// GET /pets: the list, the status filter, and the pets in it.

import type { Context } from '../engine/check/context.ts'
import { expectAllRead, isValidList } from '../engine/check/control-request.ts'
import { type AnyCheck, check } from '../engine/check/declare.ts'
import type { AnsweredExchange } from '../engine/check/exchange.ts'
import { describeResponse, expectPets, expectStatus, violateAs } from '../engine/check/expect.ts'
import { expectEach } from '../engine/check/findings.ts'
import { Untested } from '../engine/check/outcome.ts'
import { exactFiltered, listLimits, reads } from './list/limits.ts'
import { openQueries } from './list/open-queries.ts'
import { acceptedStatus, noneMatching, petMissing, statuses, without } from './pets/compare-pets.ts'
import {
  accepted,
  brief,
  firstOnce,
  listedFor,
  listedInForm,
  longest,
  sharedAs,
} from './pets/lists.ts'
import { afterControl, createPet, creating, listPets, naming, whenScarce } from './pets/requests.ts'

/** Runs before many pets are created, since an empty list must work as well. */
const success = check({
  id: 'list-sound-200',
  requirement: 'list.success',
  needs: { stage: 'probes', keyed: 1, anonymous: 0 },
  sends:
    'One `GET /pets?limit=50` with a status that no pet is known to have, before the run has ' +
    'created many pets.',
  fails: 'Any status other than 200, or a body that is not an array of pets.',
  inconclusive:
    'the list is empty and a valid `POST /pets` does not return 201: an empty list alone ' +
    'proves little',
  run: async (context) => {
    const status = statuses.find((each) => context.knownPets.count(each) === 0) ?? 'pending'
    const response = await context.call(listPets({ limit: 50, status }))
    expectStatus(response, 200)
    const pets = expectPets(response)
    // A server that responds to every request with an empty list must not pass.
    if (pets.length === 0) await context.control('create')
  },
})

const expectList = (response: AnsweredExchange): void => {
  expectStatus(response, 200)
  if (isValidList(response)) return
  violateAs({ aspect: 'body', kind: 'no list' }, 'a list', describeResponse(response), response)
}

const accepting = check({
  id: 'list-accept-several-200',
  requirement: 'list.success',
  needs: { ...reads(1), pets: 3, ample: accepted.length, sharesEach: [sharedAs(brief)] },
  sends:
    '`GET /pets?limit=2` with `Accept: text/html, application/json;q=0.9`, with ' +
    `\`application/xml, */*;q=0.1\` and with that of a browser; one of them${whenScarce}.`,
  fails: 'Any status other than 200, or a body that is not an array.',
  ...afterControl('list', async (context) => {
    const { response: first } = await listedInForm(context, brief)
    const accept = first.apiRequest.headers.find(([name]) => name === 'Accept')?.[1] ?? ''
    naming(`Accept: ${accept}`, () => expectList(first))
    const others = accepted.filter((other) => other !== accept)
    await expectEach(context.sample(others, 0), async (other) => {
      const response = await context.call({ ...listPets(brief), headers: [['Accept', other]] })
      naming(`Accept: ${other}`, () => expectList(response))
    })
  }),
})

const ofStatus = (status: string) => ({ ...reads(1), shares: sharedAs({ ...longest, status }) })

const completes = statuses.map((status) =>
  check({
    id: `list-status-${status}-all`,
    requirement: 'list.status.complete',
    needs: ofStatus(status),
    sends:
      `One \`GET /pets?limit=100&status=${status}\`; another one if a pet is less than a ` +
      'second old.',
    fails: `A pet that is known to be ${status} is missing from a list of fewer than 100.`,
    inconclusive: 'the list holds 100 pets, so it may be cut (ambiguous)',
    run: (context) => {
      const ask = firstOnce()
      return context.settled(async () => {
        const { response, pets, known } = await ask(context, { ...longest, status })
        if (known.length === 0) throw noneMatching(context, status)
        const ids = new Set(pets.map(({ id }) => id))
        const absent = known.find((id) => !ids.has(id))
        if (absent === undefined) return
        if (pets.length >= 100) {
          const message = `100 or more are ${status}, so the list may be cut; use a new target`
          throw new Untested('ambiguous', message, [response])
        }
        const creation = context.knownPets.creationOf(absent)
        const evidence = creation ? [creation.exchange, response] : [response]
        violateAs(petMissing, `the ${status} pet ${absent} in the list`, without, ...evidence)
      })
    },
  }),
)

/** Creates a pet with a status; without an id if the response shows no new one. */
const createdWith = async (context: Context, status: string) => {
  const exchange = await context.call(createPet(context.newPet({ status })))
  const newest = context.knownPets.creations.at(-1)
  return { exchange, status, ...(newest?.exchange === exchange && { id: newest.id }) }
}

const current = check({
  id: 'list-new-animal-found',
  requirement: 'list.current',
  needs: creating(2),
  sends:
    'One `POST /pets` with the status pending, then `GET /pets?limit=100&status=pending`, ' +
    'repeated once the pet is a second old; another status if that is refused.',
  fails: 'The new pet is missing from a list of fewer than 100.',
  inconclusive:
    'the list is full, so it may be cut (ambiguous), or `POST /pets` does not return 201 (blocked)',
  run: async (context) => {
    await context.control('create')
    let created = await createdWith(context, 'pending')
    if (created.id === undefined) created = await createdWith(context, acceptedStatus(context))
    const { id, exchange, status } = created
    if (id === undefined) {
      expectAllRead(context.knownPets)
      throw new Untested('blocked', 'the valid POST /pets showed no new pet', [exchange])
    }
    await context.settled(async () => {
      const query = { ...longest, status }
      const { response, pets } = await listedFor(context, query, [id])
      if (pets.some((pet) => pet.id === id)) return
      if (pets.length < 100)
        violateAs(petMissing, `the new pet ${id} in the list`, without, exchange, response)
      throw new Untested('ambiguous', 'the list is cut; use a new target', [response])
    })
  },
})

export const list: readonly AnyCheck[] = [
  success,
  accepting,
  ...listLimits,
  ...completes,
  exactFiltered,
  current,
  ...openQueries,
]
