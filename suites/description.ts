// The published interface description, if its address is configured.

import type { Context } from '../engine/check/context.ts'
import { type AnyCheck, check, observe } from '../engine/check/declare.ts'
import { type Json, printJson } from '../history/json.ts'
import { Untested, Violation } from '../history/outcome.ts'
import { short, violate } from '../model/clause.ts'
import { readOpenapi } from '../spec/openapi.ts'
import type { BindingRequirementId } from '../spec/requirements.ts'
import {
  asDocument,
  expectAllRead,
  judgeEach,
  markersIn,
  type Node,
} from './description/document.ts'
import { type Fact, facts, undescribed } from './description/facts.ts'

/** The only check that fails if there is no document. */
const failsWithoutDocument = 'version-1-0-0'

const documentFor = async (id: string, { description }: Context): Promise<Node> => {
  try {
    return asDocument(await description())
  } catch (error) {
    if (!(error instanceof Violation) || id === failsWithoutDocument) throw error
    const check = `description-${failsWithoutDocument}`
    const message = `the description is not an OpenAPI document: see ${check}`
    throw new Untested('blocked', message)
  }
}

const shared = {
  needs: { stage: 'unauthenticated', description: true },
  sends: 'A GET of the document at the address of `--description`, once per run, without a key.',
  inconclusive:
    'the document is not served, is longer than 1 MiB, takes too long to resolve, is ' +
    'not OpenAPI 3, or lacks the operation (blocked); it refers to another document, which is ' +
    'never fetched (ambiguous)',
} as const

const print = (value: unknown): string =>
  value === undefined ? 'nothing' : printJson(value as Json)

/** Compares facts with those of the interface's own document. */
const compare = (own: readonly Fact[], document: Node): void => {
  const ofInterface = readOpenapi() as unknown as Node
  judgeEach(own, ({ about, read }) => {
    const found = read(document)
    const expected = print(read(ofInterface))
    if (found === undescribed || print(found) === expected) return
    violate(`${about}: ${expected}`, short(print(found)))
  })
}

const compared = (
  id: keyof typeof facts,
  requirement: BindingRequirementId,
  fails: string,
): AnyCheck =>
  check({
    ...shared,
    id: `description-${id}`,
    requirement,
    fails,
    run: async (context) => compare(facts[id], await documentFor(id, context)),
  })

const judgeStability = (document: Node): void => {
  for (const [id, value] of markersIn(document)) {
    const isKnown = value === 'experimental' || value === 'beta'
    if (!isKnown) violate(`x-stability of ${id} experimental or beta`, short(print(value)))
  }
  expectAllRead(document)
}

export const description: readonly AnyCheck[] = [
  compared(
    failsWithoutDocument,
    'version.description',
    '`info.version` is not 1.0.0, or there is no OpenAPI document at the address.',
  ),
  compared(
    'tag-animals',
    'service.tag',
    'One of the three operations is not under the tag `animals`.',
  ),
  compared(
    'operation-ids',
    'service.operation-ids',
    'An operation is missing, or has another id than `listPets`, `createPet` or `getPet`.',
  ),
  compared(
    'limit-bounds',
    'bounds.limit',
    '`limit` is required, not an integer, only some values, or lacks the bounds 1 and 100 ' +
      '(inclusive or exclusive) or the default 20.',
  ),
  compared(
    'status-values',
    'pet-status.values',
    '`status` has other values than `available`, `pending` and `sold`.',
  ),
  compared('pet-id-int64', 'get.id-parameter', '`petId` is not an integer with the format int64.'),
  compared('get-deprecated', 'get.deprecated', '`getPet` is not marked `deprecated: true`.'),
  compared(
    'scheme-bearer',
    'auth.scheme',
    'An operation does not require the security scheme HTTP bearer.',
  ),
  compared(
    'as-interface',
    'version.description',
    'What no other check compares with the document of the interface: the required members of ' +
      'createPet; whether `status` and `petId` are required, their defaults and the values of ' +
      '`petId`.',
  ),
  check({
    ...shared,
    id: 'description-stability-values',
    requirement: 'service.stability',
    fails: 'A marker `x-stability` is neither `experimental` nor `beta`.',
    run: async (context) => judgeStability(await documentFor('stability-values', context)),
  }),
  compared(
    'no-group-operation',
    'service.groups',
    'There is an operation under `store` or `animals`.',
  ),
  compared(
    'no-publishing-operation',
    'publishing.no-operation',
    'There is an operation under `domains` or `projects`.',
  ),

  observe({
    ...shared,
    id: 'description-stability',
    requirement: 'service.stability-which',
    records: 'Which operations carry which marker.',
    run: async (context) => {
      const document = await documentFor('stability', context)
      expectAllRead(document)
      return (
        markersIn(document)
          .map(([id, value]) => `${id} ${value}`)
          .join(', ') || 'none'
      )
    },
  }),
]
