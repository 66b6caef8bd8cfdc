// The catalogue: every check, in the order of the interface.

import type { AnyCheck } from '../engine/declare.ts'
import { addresses } from './addresses.ts'
import { authentication } from './authentication.ts'
import { unknownCategory } from './create/categories.ts'
import { create } from './create.ts'
import { description } from './description.ts'
import { errors } from './errors.ts'
import { fill } from './fill.ts'
import { get } from './get.ts'
import { invariants } from './invariants.ts'
import { list } from './list.ts'
import { ownResponse } from './own-response.ts'
import { rateLimit } from './rate-limit.ts'
import { stateful } from './stateful.ts'
import { time } from './time.ts'
import { versioning } from './versioning.ts'

export const catalogue: readonly AnyCheck[] = [
  unknownCategory, // Finds out which categories all other checks may use.
  ...list,
  ...ownResponse, // Before other creations: while there are few pets, lists are not cut.
  ...create,
  ...get,
  ...stateful,
  fill, // After all other creations of its stage.
  ...authentication,
  ...addresses,
  ...errors,
  ...versioning,
  ...description,
  ...rateLimit,
  ...time,
  ...invariants,
]
