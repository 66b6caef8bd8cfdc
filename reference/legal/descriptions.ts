// Legal descriptions: the same interface in other forms of OpenAPI.
import { legal } from '../variant.ts'

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
    'description-prefix-in-paths': [
      'The paths include the version, and the path parameter has another name.',
      rewritten(
        ['"/pets"', '"/v1/pets"'],
        ['"/pets/{petId}"', '"/v1/pets/{id}"'],
        ['"name":"petId"', '"name":"id"'],
      ),
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
