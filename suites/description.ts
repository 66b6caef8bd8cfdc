// The published interface description, if its address is configured.

import type { Context } from '../engine/context.ts'
import { type AnyCheck, check, observe } from '../engine/declare.ts'
import { Untested, Violation } from '../engine/outcome.ts'
import type { BindingRequirementId } from '../spec/requirements.ts'
import { asDocument, type Node } from './description/document.ts'
import {
  judgeAbsence,
  judgeBearer,
  judgeDeprecated,
  judgeLimit,
  judgeOperationIds,
  judgePetId,
  judgeStability,
  judgeStatus,
  judgeTag,
  judgeVersion,
  stabilityOf,
} from './description/judgements.ts'

type Row = readonly [
  id: string,
  requirement: BindingRequirementId,
  fails: string,
  judge: (document: Node) => void,
]

const otherMarker = 'A marker `x-stability` is neither `experimental` nor `beta`.'

const rows: readonly Row[] = [
  [
    'version-1-0-0',
    'version.description',
    '`info.version` is not 1.0.0, or there is no OpenAPI document at the address.',
    judgeVersion,
  ],
  [
    'tag-animals',
    'service.tag',
    'One of the three operations is not under the tag `animals`.',
    judgeTag,
  ],
  [
    'operation-ids',
    'service.operation-ids',
    'An operation is missing, or has another id than `listPets`, `createPet` or `getPet`.',
    judgeOperationIds,
  ],
  [
    'limit-bounds',
    'bounds.limit',
    '`limit` is required, not an integer, or lacks the bounds 1 and 100 (inclusive or exclusive) ' +
      'or the default 20.',
    judgeLimit,
  ],
  [
    'status-values',
    'pet-status.values',
    '`status` has other values than `available`, `pending` and `sold`.',
    judgeStatus,
  ],
  [
    'pet-id-int64',
    'get.id-parameter',
    '`petId` is not an integer with the format int64.',
    judgePetId,
  ],
  [
    'get-deprecated',
    'get.deprecated',
    '`getPet` is not marked `deprecated: true`.',
    judgeDeprecated,
  ],
  [
    'scheme-bearer',
    'auth.scheme',
    'An operation does not require the security scheme HTTP bearer.',
    judgeBearer,
  ],
  ['stability-values', 'service.stability', otherMarker, judgeStability],
  ['stability-no-other-values', 'version.stability', otherMarker, judgeStability],
  [
    'no-group-operation',
    'service.groups',
    'There is an operation under `store` or `animals`.',
    (document) => judgeAbsence(document, ['store', 'animals']),
  ],
  [
    'no-publishing-operation',
    'publishing.no-operation',
    'There is an operation under `domains` or `projects`.',
    (document) => judgeAbsence(document, ['domains', 'projects']),
  ],
]

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
  needs: { stage: 'unauthenticated', keyed: 0, anonymous: 0, description: true },
  sends: 'A GET of the document at the address of `--description`, once per run, without a key.',
  inconclusive:
    'the document is not served, is longer than 1 MiB, takes too long to resolve, is ' +
    'not OpenAPI 3, or lacks the operation (blocked); it refers to another document, which is ' +
    'never fetched (ambiguous)',
} as const

export const description: readonly AnyCheck[] = [
  ...rows.map(([id, requirement, fails, judge]) =>
    check({
      ...shared,
      id: `description-${id}`,
      requirement,
      fails,
      run: async (context) => judge(await documentFor(id, context)),
    }),
  ),

  observe({
    ...shared,
    id: 'description-stability',
    requirement: 'service.stability-which',
    records: 'Which operations carry which marker.',
    run: async (context) => {
      const marked = stabilityOf(await documentFor('stability', context))
      return marked.map(([id, value]) => `${id} ${value}`).join(', ') || 'none'
    },
  }),
]
