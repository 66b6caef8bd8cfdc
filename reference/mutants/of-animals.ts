// The mutants of animals: lists, creations, fetches, and what becomes of animals over time.
import type { Mutant } from '../mutant.ts'
import { bodyMutants } from './bodies.ts'
import { categoryMutants } from './categories.ts'
import { changedMutants } from './changed.ts'
import { creationMutants } from './creation.ts'
import { filterMutants } from './filter.ts'
import { getMutants } from './get.ts'
import { idMutants } from './ids.ts'
import { listMutants } from './list.ts'
import { listedMutants } from './listed.ts'
import { lostMutants } from './lost.ts'
import { nameMutants } from './names.ts'
import { nowAndThenMutants } from './now-and-then.ts'
import { petIdMutants } from './pet-ids.ts'
import { printedMutants } from './printed.ts'
import { refusedBodyMutants } from './refused-bodies.ts'
import { statusMutants } from './statuses.ts'
import { timeMutants } from './time.ts'

export const animalMutants: readonly Mutant[] = [
  ...listMutants,
  ...filterMutants,
  ...listedMutants,
  ...creationMutants,
  ...nameMutants,
  ...categoryMutants,
  ...statusMutants,
  ...bodyMutants,
  ...refusedBodyMutants,
  ...idMutants,
  ...printedMutants,
  ...getMutants,
  ...petIdMutants,
  ...lostMutants,
  ...changedMutants,
  ...timeMutants,
  ...nowAndThenMutants,
]
