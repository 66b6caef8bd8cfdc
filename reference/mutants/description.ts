// Faults of the published description.
import type { RequirementId } from '../../spec/requirements.ts'
import type { Variant } from '../compose.ts'
import type { Mutant } from '../mutant.ts'

type Node = Readonly<Record<string, unknown>>

/** A document with another value at the end of a path, or without it where it is undefined. */
const withValue = (
  node: unknown,
  [step = '', ...steps]: readonly string[],
  value: unknown,
): Node => {
  const members = (node ?? {}) as Node
  const next = steps.length === 0 ? value : withValue(members[step], steps, value)
  const changed = Object.entries(members).filter(([name]) => name !== step)
  return Object.fromEntries(next === undefined ? changed : [...changed, [step, next]])
}

/** `path` names the members on the way, with spaces between them. */
const describing = (path: string, value: unknown): Variant => ({
  description: (honest) => withValue(honest, path.split(' '), value),
})

const fault = (
  id: string,
  breaks: RequirementId,
  check: string,
  text: string,
  variant: Variant,
): Mutant => ({
  id: `description-${id}`,
  breaks,
  caughtBy: `description-${check}`,
  fault: text,
  ...variant,
})

const limit = (schema: object): Variant => {
  const sound = { type: 'integer', minimum: 1, maximum: 100, default: 20 }
  const status = { name: 'status', in: 'query', schema: { $ref: '#/components/schemas/PetStatus' } }
  const parameter = { name: 'limit', in: 'query', schema: { ...sound, ...schema } }
  return describing('paths /pets get parameters', [parameter, status])
}

const petId = (schema: object): Variant =>
  describing('paths /pets/{petId} get parameters', [
    { name: 'petId', in: 'path', required: true, schema },
  ])

const operation = { operationId: 'more', tags: ['animals'], responses: {} }

export const descriptionMutants: readonly Mutant[] = [
  fault(
    'version-of-build',
    'version.description',
    'version-1-0-0',
    'The version is that of the build.',
    describing('info version', '1.4.2'),
  ),
  fault(
    'without-openapi',
    'version.description',
    'version-1-0-0',
    'The generator leaves out what says that it is an OpenAPI document.',
    describing('openapi', undefined),
  ),
  fault(
    'tag-of-group',
    'service.tag',
    'tag-animals',
    'The operation is tagged with its navigation group.',
    describing('paths /pets get tags', ['Pets']),
  ),
  fault(
    'operation-id-generated',
    'service.operation-ids',
    'operation-ids',
    'The generator made the operation id of the path.',
    describing('paths /pets/{petId} get operationId', 'getPetsByPetId'),
  ),
  fault(
    'limit-not-described',
    'bounds.limit',
    'limit-bounds',
    'The query parameters are not described.',
    describing('paths /pets get parameters', []),
  ),
  fault(
    'limit-without-maximum',
    'bounds.limit',
    'limit-bounds',
    'The description leaves out the maximum.',
    limit({ maximum: undefined }),
  ),
  fault(
    'limit-default-50',
    'bounds.limit',
    'limit-bounds',
    'The description has the default of an older version.',
    limit({ default: 50 }),
  ),
  fault(
    'limit-from-zero',
    'bounds.limit',
    'limit-bounds',
    'The description allows a limit of zero.',
    limit({ minimum: 0 }),
  ),
  fault(
    'status-with-fourth-value',
    'pet-status.values',
    'status-values',
    'The description has a value that the interface has not.',
    describing('components schemas PetStatus enum', ['available', 'pending', 'sold', 'reserved']),
  ),
  fault(
    'pet-id-int32',
    'get.id-parameter',
    'pet-id-int64',
    'The generator took every integer for an int32.',
    petId({ type: 'integer', format: 'int32' }),
  ),
  fault(
    'pet-id-text',
    'get.id-parameter',
    'pet-id-int64',
    'A parameter of the path is described as a string.',
    petId({ type: 'string' }),
  ),
  fault(
    'not-deprecated',
    'get.deprecated',
    'get-deprecated',
    'The deprecation stands in the text alone.',
    describing('paths /pets/{petId} get deprecated', undefined),
  ),
  fault(
    'scheme-api-key',
    'auth.scheme',
    'scheme-bearer',
    'The key is described as one of the type apiKey.',
    describing('components securitySchemes apiKey', { type: 'apiKey', in: 'header', name: 'key' }),
  ),
  fault(
    'operation-without-key',
    'auth.scheme',
    'scheme-bearer',
    'One operation is described as open to all.',
    describing('paths /pets get security', []),
  ),
  fault(
    'stability-alpha',
    'service.stability',
    'stability-values',
    'A team has a word of its own for what is young.',
    describing('paths /pets post x-stability', 'alpha'),
  ),
  fault(
    'stability-stable',
    'version.stability',
    'stability-no-other-values',
    'What is settled is marked as well.',
    describing('paths /pets get x-stability', 'stable'),
  ),
  fault(
    'store-operation',
    'service.groups',
    'no-group-operation',
    'The group has an operation of its own.',
    describing('paths /store', { get: operation }),
  ),
  fault(
    'domain-operation',
    'publishing.no-operation',
    'no-publishing-operation',
    'The domains of the dashboard are described with the rest.',
    describing('paths /projects/{project}/domains', { post: operation }),
  ),
]
