// What a refusal is: without effect, and with whatever body.

import { bodyText, readBody } from '../../engine/body.ts'
import type { Context, LimitKey } from '../../engine/context.ts'
import { check, observe, type Question } from '../../engine/declare.ts'
import type { Answered } from '../../engine/exchange.ts'
import { told, violate } from '../../engine/expect.ts'
import { isObject, type JsonObject, parseJson } from '../../engine/json.ts'
import { Suspicion, Untested } from '../../engine/outcome.ts'
import { checkError } from '../../spec/schemas.ts'
import { petsWithIds } from '../pets.ts'
import { listPets } from '../requests.ts'
import { refusalsIn, refusedRound } from './exhausted.ts'
import { onBurst } from './quota.ts'
import { isServed } from './reading.ts'

export const sentBody = ({ request }: Answered): JsonObject => {
  const value = request.body === null ? null : parseJson(request.body)
  return isObject(value) ? value : {}
}

const isCreation = ({ asked }: Answered) => asked.method === 'POST'

/** The animals of one status, as a list that should hold all of them. */
export const listed = async (context: Context, status: string, { label }: LimitKey) => {
  const answer = await context.call({ ...listPets({ limit: 100, status }), key: label })
  if (!isServed(answer)) throw new Untested('blocked', `a list got ${told(answer)}`, [answer])
  return { answer, pets: petsWithIds(answer) }
}

const noEffect = check({
  id: 'refused-creation-no-effect',
  requirement: 'limits.no-effect',
  needs: { ...onBurst, keyed: 1, allow: ['exhaust', 'write'] },
  sends:
    'The last calls of the burst are creations, up to one that is refused; one list of their ' +
    'status later.',
  fails: 'A pet of a creation that was refused with 429 exists.',
  inconclusive:
    'no creation was refused, or the list does not hold all that were served (ambiguous)',
  run: async (context) => {
    await context.control('create')
    const round = await refusedRound(context)
    const creations = round.burst.filter(isCreation)
    const refused = refusalsIn(round).filter(isCreation)
    const [first] = refused
    if (!first) throw new Untested('ambiguous', 'it was no creation that was refused')
    const { answer, pets } = await listed(context, String(sentBody(first).status), round.key)
    const names = new Set(refused.map((one) => sentBody(one).name))
    const stored = [...pets, ...context.herd.seen.values()].find(({ name }) => names.has(name))
    if (stored) {
      violate('no trace of a refused creation', `${stored.name} is listed`, first, answer)
    }
    const served = creations.filter(isServed).map((one) => sentBody(one).name)
    if (pets.length < 100 && served.every((name) => pets.some((pet) => pet.name === name))) return
    const why = 'the list does not hold all animals of its status, so it proves nothing'
    throw new Suspicion(why, [first, answer])
  },
})

const kindOf = (refusal: Answered): string => {
  if (bodyText(refusal) === '') return 'none'
  const body = readBody(refusal)
  if (!('value' in body)) return 'no JSON'
  if (checkError(body.value) === undefined) return 'Error'
  return isObject(body.value) ? 'another JSON object' : 'other JSON'
}

const body = observe({
  id: 'refusal-body',
  requirement: 'gap.429-body',
  needs: onBurst,
  sends: 'Nothing of its own: the first 429 of the burst.',
  records: 'Whether its body is an Error, another JSON object, other JSON, no JSON, or none.',
  inconclusive: 'nothing was refused (blocked)',
  run: async (context) => {
    const [first] = refusalsIn(await refusedRound(context))
    return kindOf(first as Answered)
  },
})

export const refusal: readonly Question[] = [noEffect, body]
