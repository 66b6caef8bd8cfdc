// POST /pets: valid creations, faulty ones, and what the interface leaves open.

import type { AnyCheck } from '../engine/check/declare.ts'
import { createOpen } from './create/open.ts'
import { createFaults, createTooLarge } from './create/refused.ts'
import { createStored } from './create/stored.ts'
import { createValid } from './create/valid.ts'

export const create: readonly AnyCheck[] = [
  ...createFaults,
  ...createTooLarge,
  ...createValid,
  ...createStored,
  ...createOpen,
]
