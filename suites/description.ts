// The published interface description, where its address is configured.

import type { Needs, Question } from '../engine/check.ts'
import { check, observe } from '../engine/check.ts'
import type { Context } from '../engine/context.ts'
import { Untested, Violation } from '../engine/outcome.ts'
import type { BindingRequirementId } from '../spec/requirements.ts'
import { asDocument } from './description/document.ts'
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
import type { Node } from './description/nodes.ts'

const needs: Needs = { stage: 'strangers', keyed: 0, anonymous: 0, description: true }

type Row = readonly [id: string, requirement: BindingRequirementId, judge: (document: Node) => void]

const rows: readonly Row[] = [
  ['version-1-0-0', 'version.description', judgeVersion],
  ['tag-animals', 'service.tag', judgeTag],
  ['operation-ids', 'service.operation-ids', judgeOperationIds],
  ['limit-bounds', 'bounds.limit', judgeLimit],
  ['status-values', 'pet-status.values', judgeStatus],
  ['pet-id-int64', 'get.id-parameter', judgePetId],
  ['get-deprecated', 'get.deprecated', judgeDeprecated],
  ['scheme-bearer', 'auth.scheme', judgeBearer],
  ['stability-values', 'service.stability', judgeStability],
  ['stability-no-other-values', 'version.stability', judgeStability],
  ['no-group-operation', 'service.groups', (one) => judgeAbsence(one, ['store', 'animals'])],
  [
    'no-publishing-operation',
    'publishing.no-operation',
    (one) => judgeAbsence(one, ['domains', 'projects']),
  ],
]

/** Where there is no document at all, that is one fault, and this check tells it. */
const tellsOfNone = 'version-1-0-0'

const documentFor = async (id: string, { description }: Context): Promise<Node> => {
  try {
    return asDocument(await description())
  } catch (error) {
    if (!(error instanceof Violation) || id === tellsOfNone) throw error
    const message = `the description is no OpenAPI document, which description-${tellsOfNone} tells`
    throw new Untested('blocked', message)
  }
}

export const list: readonly Question[] = [
  ...rows.map(([id, requirement, judge]) =>
    check(`description-${id}`, requirement, needs, async (context) => {
      judge(await documentFor(id, context))
    }),
  ),

  observe('description-stability', 'service.stability-which', needs, async (context) => {
    const marked = stabilityOf(await documentFor('stability', context))
    return marked.map(([id, value]) => `${id} ${value}`).join(', ') || 'none'
  }),
]
