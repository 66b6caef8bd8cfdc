// How each question of the catalogue is judged, in plain words: what is asked, what breaks it.

import type { Telling } from '../engine/telling.ts'
import { answers } from './how/answers.ts'
import { created } from './how/created.ts'
import { refusedCreations } from './how/creations.ts'
import { descriptions } from './how/descriptions.ts'
import { fetches } from './how/fetches.ts'
import { keys, keyWays } from './how/keys.ts'
import { limits } from './how/limits.ts'
import { lists } from './how/lists.ts'
import { ownResponses } from './how/own-responses.ts'
import { refusals } from './how/refusals.ts'
import { service } from './how/service.ts'

export type { Telling, Tellings } from '../engine/telling.ts'

/** By the id of a check, an observation or an invariant. */
export const how: Readonly<Record<string, Telling>> = {
  ...lists,
  ...refusedCreations,
  ...created,
  ...fetches,
  ...keyWays,
  ...keys,
  ...service,
  ...descriptions,
  ...limits,
  ...refusals,
  ...answers,
  ...ownResponses,
}
