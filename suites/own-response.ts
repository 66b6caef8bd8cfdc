// A response belongs to its own request, whatever else is in flight or went before.
import type { Question } from '../engine/check.ts'
import { otherKeys } from './own-response/keys.ts'
import { inARow } from './own-response/row.ts'
import { together } from './own-response/together.ts'

export const ownResponse: readonly Question[] = [inARow, ...together, otherKeys]
