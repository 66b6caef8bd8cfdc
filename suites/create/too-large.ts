// POST /pets with bodies beyond the limits of parsers, frameworks and proxies, and with a fault.

import type { Check } from '../../engine/check/declare.ts'
import { printJson } from '../../history/json.ts'
import { row } from '../pets/rows.ts'
import { without } from './faults.ts'
import { faulty } from './refused.ts'

const depth = 10_000

/** Beyond the limits of Express; of nginx and Fastify; of axum and Django; and 10 MB. */
const paddings = [300_000, 1_572_864, 3_145_728, 11_534_336]

const tooLarge = 'Any status other than 400 and 413: it was accepted, or the server failed.'

/** They may crash the target, so they come late. */
export const createTooLarge: readonly Check[] = [
  row('create', tooLarge, {
    ...{ id: 'create-body-deep-refused', requirement: 'create.too-large' },
    needs: { stage: 'hazards', allow: ['write'] },
    values: [
      [
        'with a name that is an array nested 10,000 deep',
        faulty((pet) =>
          printJson(pet).replace(
            printJson(pet.name ?? null),
            '['.repeat(depth) + ']'.repeat(depth),
          ),
        ),
      ],
    ],
  }),
  row('create', tooLarge, {
    ...{ id: 'create-body-large-refused', requirement: 'create.too-large' },
    needs: { stage: 'hazards', allow: ['write'] },
    values: paddings.map((padding) => [
      `without name, after ${padding} spaces`,
      // On a new connection, since unread bytes of the body would precede the next request.
      (context, pick) => ({ ...faulty(without('name'))(context, pick), padding, fresh: true }),
    ]),
  }),
]
