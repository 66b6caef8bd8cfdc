// Published descriptions: other forms of OpenAPI for the same interface, and faults.
import { family, legal } from './variant.ts'

/** Replaces text in the document; each text to replace must occur. */
const rewritten = (...changes: readonly (readonly [from: string, to: string])[]) => ({
  description: (honest: object): object => {
    const text = changes.reduce((before, [from, to]) => {
      if (!before.includes(from)) throw new Error(`The description has no ${from}.`)
      return before.replaceAll(from, to)
    }, JSON.stringify(honest))
    return JSON.parse(text) as object
  },
})

const integer = '"type":"integer"'

export const descriptionVariants = [
  ...legal(['description-limit-bounds', 'description-operation-ids', 'description-scheme-bearer'], {
    'description-openapi-3-0': [
      'The description is OpenAPI 3.0, with its form of exclusive bounds.',
      rewritten(
        ['"openapi":"3.1.0"', '"openapi":"3.0.3"'],
        ['"minimum":1,', '"minimum":0,"exclusiveMinimum":true,'],
      ),
    ],
    'description-exclusive-bounds': [
      'The bounds of `limit` are exclusive ones.',
      rewritten(['"minimum":1,"maximum":100', '"exclusiveMinimum":0,"exclusiveMaximum":101']),
    ],
    'description-of-python': [
      'The description is generated from types: what may be omitted may also be null.',
      rewritten(
        ['"/pets"', '"/v1/pets/"'],
        ['"/pets/{petId}"', '"/v1/pets/{pet_id}"'],
        ['"name":"petId"', '"name":"pet_id"'],
        ['"apiKey"', '"HTTPBearer"'],
        [
          '"schema":{"type":"integer","minimum":1,"maximum":100,',
          '"schema":{"anyOf":[{"type":"integer","minimum":1,"maximum":100},{"type":"null"}],',
        ],
        [
          '"Filters by availability.","schema":{"$ref":"#/components/schemas/PetStatus"}',
          '"","schema":{"anyOf":[{"$ref":"#/components/schemas/PetStatus"},{"type":"null"}]}',
        ],
      ),
    ],
  }),
  ...legal(['description-version-1-0-0', 'description-stability-values'], {
    'description-marks-stability': [
      'Two operations carry a marker of stability.',
      rewritten(
        ['"operationId":"createPet"', '"x-stability":"beta","operationId":"createPet"'],
        ['"operationId":"getPet"', '"x-stability":"experimental","operationId":"getPet"'],
      ),
    ],
    'description-split-over-files': [
      'One operation and one schema of the description are in files of their own.',
      rewritten(
        ['{"$ref":"#/components/schemas/PetStatus"}', '{"$ref":"./schemas.yaml#/PetStatus"}'],
        ['"/pets/{petId}":{', '"/pets/{petId}":{"$ref":"paths/pet.yaml"},"/unused":{'],
      ),
    ],
  }),
  ...legal(['description-status-values', 'description-pet-id-int64'], {
    'description-values-as-constants': [
      'Each value of `status` is an alternative of its own.',
      rewritten([
        '"enum":["available","pending","sold"]',
        '"oneOf":[{"const":"available"},{"const":"pending"},{"const":"sold"}]',
      ]),
    ],
    'description-list-of-types': [
      'Types are lists, and the scheme is spelled with a capital.',
      rewritten([integer, '"type":["integer"]'], ['"scheme":"bearer"', '"scheme":"Bearer"']),
    ],
  }),
]

const listPets = '"operationId":"listPets"'
const petId = '"The identifier of the animal.","schema":{"type":"integer","format":"int64"}'

/** The description with one text replaced. */
const described = family(
  (change: readonly [from: string, to: string]) => rewritten(change),
  'The description',
)

const withPath = (path: string, method: string) => {
  const operation = JSON.stringify({ operationId: 'more', tags: ['animals'], responses: {} })
  return ['"paths":{', `"paths":{"${path}":{"${method}":${operation}},`] as const
}

export const descriptionMutants = [
  ...described.caughtBy('description-version-1-0-0', {
    'description-version-of-build': ['has the number of its build', ['"1.0.0"', '"1.4.2"']],
    'description-without-openapi': ['has no `openapi` member', ['"openapi":"3.1.0",', '']],
  }),
  ...described.caughtBy('description-limit-bounds', {
    'description-limit-not-described': [
      'has no query parameters',
      ['"parameters":[{"name":"limit"', '"x-parameters":[{"name":"limit"'],
    ],
    'description-limit-without-maximum': ['has no maximum for limit', ['"maximum":100,', '']],
    'description-limit-default-50': ['has a default limit of 50', ['"default":20', '"default":50']],
  }),
  ...described.caughtBy('description-pet-id-int64', {
    'description-pet-id-int32': ['has an int32 petId', [petId, petId.replace('int64', 'int32')]],
    'description-pet-id-text': ['has petId as text', [petId, '"","schema":{"type":"string"}']],
  }),
  ...described.each({
    'description-scheme-api-key @ description-scheme-bearer': [
      'has a security scheme of type apiKey',
      ['"type":"http","scheme":"bearer"', '"type":"apiKey","in":"header","name":"key"'],
    ],
    'description-operation-without-key @ description-scheme-bearer': [
      'has an operation without security',
      [listPets, `"security":[],${listPets}`],
    ],
    'description-status-with-fourth-value @ description-status-values': [
      'has a fourth status',
      ['"pending","sold"]', '"pending","sold","reserved"]'],
    ],
    'description-not-deprecated @ description-get-deprecated': [
      'does not mark GET /pets/{petId} as deprecated',
      ['"deprecated":true,', ''],
    ],
    'description-category-optional @ description-as-interface': [
      'has a creation without a category',
      ['"required":["name","categoryId"]', '"required":["name"]'],
    ],
    'description-response-in-circle @ description-as-interface': [
      'has a list whose schema refers to one that refers back',
      [
        '"Pets":{',
        '"Pets":{"$ref":"#/components/schemas/List"},' +
          '"List":{"$ref":"#/components/schemas/Pets"},"Unused":{',
      ],
    ],
    'description-stability-alpha @ description-stability-values': [
      'has an x-stability value that the interface does not define',
      [listPets, `"x-stability":"alpha",${listPets}`],
    ],
    'description-store-operation @ description-no-group-operation': [
      'has an operation for the group /store',
      withPath('/store', 'get'),
    ],
    'description-domain-operation @ description-no-publishing-operation': [
      "has the dashboard's operations for domains",
      withPath('/projects/{project}/domains', 'post'),
    ],
    'description-tag-of-group @ description-tag-animals': [
      'tags an operation with its navigation group',
      [`${listPets},"tags":["animals"]`, `${listPets},"tags":["Pets"]`],
    ],
    'description-operation-id-generated @ description-operation-ids': [
      'has a generated operationId',
      ['"getPet"', '"getPetsByPetId"'],
    ],
  }),
]
