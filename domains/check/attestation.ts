// What a person saw in the dashboard: a file of requirements with who, when, and yes or no. A
// report shows it as attested, never as passed by a machine.

import type { CheckResult } from '../../engine/run-file.ts'
import { type RequirementId, requirement, requirementIds } from '../../spec/requirements.ts'
import { compileSchema } from '../../spec/schemas.ts'

export interface Attestation {
  readonly requirement: RequirementId
  readonly who: string
  readonly when: string
  readonly holds: boolean
  readonly note?: string
}

/** The requirements that show in the dashboard alone. */
const attestable = requirementIds.filter((id) => requirement(id).shows === 'model')

const line = { type: 'string', minLength: 1, maxLength: 500 }

const check = compileSchema({
  type: 'object',
  required: ['attestations'],
  additionalProperties: false,
  properties: {
    attestations: {
      type: 'array',
      maxItems: 200,
      items: {
        type: 'object',
        required: ['requirement', 'who', 'when', 'holds'],
        additionalProperties: false,
        properties: {
          requirement: { enum: attestable },
          who: line,
          when: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}' },
          holds: { type: 'boolean' },
          note: line,
        },
      },
    },
  },
})

/** @throws Error of one line if it is no such file */
export const readAttestations = (value: unknown): readonly Attestation[] => {
  const fault = check(value)
  if (fault !== undefined) throw new Error(fault)
  return (value as { attestations: Attestation[] }).attestations
}

const describe = ({ who, when, holds, note }: Attestation): string =>
  `attested by ${who} on ${when}: ${holds ? 'yes' : 'no'}${note === undefined ? '' : `, ${note}`}`

/** A yes proves nothing; a no is a violation that somebody saw. */
export const attestedResults = (given: readonly Attestation[]): CheckResult[] =>
  given.map((attestation, index) => {
    const { level } = requirement(attestation.requirement)
    const breach = { must: 'fail', should: 'warn', open: 'observed' } as const
    return {
      id: `attested-${attestation.requirement.replace(/^.*\./, '')}@${index + 1}`,
      requirement: attestation.requirement,
      level,
      outcome: attestation.holds ? 'observed' : breach[level],
      because: null,
      detail: describe(attestation),
      requests: 0,
      evidence: [],
    }
  })

export const attestationNotes = (given: readonly Attestation[]): string[] =>
  given.map((each) => `${each.requirement}: ${describe(each)}; petvet has not seen it`)
