// An animal for the load to ask for: an empty list would look like a refusal in disguise.

import { valueIn } from '../engine/body.ts'
import { type Answered, statusOf } from '../engine/exchange.ts'
import { Untested } from '../engine/outcome.ts'
import { get } from '../engine/request.ts'
import type { Ending } from '../engine/result.ts'
import type { Place } from './place.ts'
import type { Scenario } from './scenario.ts'

/** A new animal may take so long to be listed (ruling 5). */
const listedMs = 1_000

const isEmpty = (list: Answered): boolean => {
  const pets = valueIn(list)
  return statusOf(list) === 200 && Array.isArray(pets) && pets.length === 0
}

/**
 * Makes an animal where there is none.
 * @param first the list that the smoke call got
 * @returns why there is none, or null where there is one
 */
export const stock = async (
  { session, options }: Place,
  first: Answered,
): Promise<string | null> => {
  if (!isEmpty(first)) return null
  if (!options.allow.includes('write')) {
    return (
      'the store is empty, and to create an animal needs the permission to write (--allow ' +
      'write)'
    )
  }
  await session.contextOf('load').control('create')
  const list = () => session.ask('load', get('/pets?limit=1'), false)
  if (!isEmpty(await list())) return null
  await session.pace.sleep(listedMs)
  return isEmpty(await list()) ? 'the animal that was created is not listed' : null
}

/** What spends a quota tells by the list whether it was served. */
export const lackOfAnimals = ({ needs }: Scenario, empty: string | null): Ending | undefined => {
  if (empty === null || !needs.allow.includes('exhaust')) return undefined
  return { kind: 'threw', error: new Untested('permission', empty) }
}
