// Faults of the published description.

import { caughtBy, each, type Variant } from '../../variant.ts'

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

const limit = (schema: object): Variant => {
  const described = { type: 'integer', minimum: 1, maximum: 100, default: 20 }
  const status = { name: 'status', in: 'query', schema: { $ref: '#/components/schemas/PetStatus' } }
  const parameter = { name: 'limit', in: 'query', schema: { ...described, ...schema } }
  return describing('paths /pets get parameters', [parameter, status])
}

const petId = (schema: object): Variant =>
  describing('paths /pets/{petId} get parameters', [
    { name: 'petId', in: 'path', required: true, schema },
  ])

const operation = { operationId: 'more', tags: ['animals'], responses: {} }

export const descriptionMutants = [
  ...caughtBy('description-version-1-0-0', {
    'description-version-of-build': [
      'The version in the description is the build number.',
      describing('info version', '1.4.2'),
    ],
    'description-without-openapi': [
      'The description has no `openapi` member.',
      describing('openapi', undefined),
    ],
  }),
  ...caughtBy('description-limit-bounds', {
    'description-limit-not-described': [
      'The description has no query parameters.',
      describing('paths /pets get parameters', []),
    ],
    'description-limit-without-maximum': [
      'The description has no maximum for limit.',
      limit({ maximum: undefined }),
    ],
    'description-limit-default-50': [
      'The description has a default limit of 50.',
      limit({ default: 50 }),
    ],
    'description-limit-from-zero': ['The description allows a limit of 0.', limit({ minimum: 0 })],
  }),
  ...each({
    'description-status-with-fourth-value': [
      'description-status-values',
      'The description has a fourth status.',
      describing('components schemas PetStatus enum', ['available', 'pending', 'sold', 'reserved']),
    ],
    'description-pet-id-int32': [
      'description-pet-id-int64',
      'The description has petId as int32.',
      petId({ type: 'integer', format: 'int32' }),
    ],
    'description-pet-id-text': [
      'description-pet-id-int64',
      'The description has petId as a string.',
      petId({ type: 'string' }),
    ],
    'description-not-deprecated': [
      'description-get-deprecated',
      'The description does not mark GET /pets/{petId} as deprecated.',
      describing('paths /pets/{petId} get deprecated', undefined),
    ],
    'description-scheme-api-key': [
      'description-scheme-bearer',
      'The description has a security scheme of type apiKey.',
      describing('components securitySchemes apiKey', {
        type: 'apiKey',
        in: 'header',
        name: 'key',
      }),
    ],
    'description-operation-without-key': [
      'description-scheme-bearer',
      'The description has an operation without security.',
      describing('paths /pets get security', []),
    ],
    'description-category-optional': [
      'description-as-interface',
      'In the description a creation needs no category.',
      describing('components schemas NewPet required', ['name']),
    ],
    'description-stability-alpha': [
      'description-stability-values',
      'The description has an x-stability value that the interface does not define.',
      describing('paths /pets post x-stability', 'alpha'),
    ],
    'description-store-operation': [
      'description-no-group-operation',
      'The description has an operation for the group /store.',
      describing('paths /store', { get: operation }),
    ],
    'description-domain-operation': [
      'description-no-publishing-operation',
      "The description has the dashboard's operations for domains.",
      describing('paths /projects/{project}/domains', { post: operation }),
    ],
    'description-tag-of-group': [
      'description-tag-animals',
      'The description tags an operation with its navigation group.',
      describing('paths /pets get tags', ['Pets']),
    ],
    'description-operation-id-generated': [
      'description-operation-ids',
      'The description has a generated operationId.',
      describing('paths /pets/{petId} get operationId', 'getPetsByPetId'),
    ],
  }),
]
