// How the published OpenAPI document is judged, where its address is given.
import type { Telling, Tellings } from '../../engine/telling.ts'

/** What the document must say; references within it are followed, 3.0 and 3.1 are taken. */
const demands: Readonly<Record<string, string>> = {
  'version-1-0-0': '`info.version` is not 1.0.0, or there is no OpenAPI document at the address.',
  'tag-animals': 'One of the three operations is not under the tag `animals`.',
  'operation-ids':
    'An operation is missing, or has another id than `listPets`, `createPet` or `getPet`.',
  'limit-bounds':
    '`limit` is required, no integer, or lacks the bounds 1 and 100 (exclusive ones will do) or ' +
    'the default 20.',
  'status-values': '`status` has other values than the three.',
  'pet-id-int64': '`petId` is no integer of the format int64.',
  'get-deprecated': '`getPet` is not marked `deprecated: true`.',
  'scheme-bearer': 'An operation can be called without a scheme of type HTTP, `bearer`.',
  'stability-values': 'A marker `x-stability` is neither `experimental` nor `beta`.',
  'stability-no-other-values': 'A marker `x-stability` is neither `experimental` nor `beta`.',
  'no-group-operation': 'An operation stands under `store` or `animals`.',
  'no-publishing-operation': 'An operation stands under `domains` or `projects`.',
}

const asks = 'The document at the address of `--description`, fetched once, without a key.'
const open =
  'the document is not served, is longer than 1 MiB, asks for too much to be read, is not of ' +
  'OpenAPI 3, or lacks the operation (blocked); what it depends on is in another document, which ' +
  'is never fetched (ambiguous)'

export const descriptions: Tellings = {
  ...Object.fromEntries(
    Object.entries(demands).map(([id, finds]): [string, Telling] => [
      `description-${id}`,
      { asks, finds, open },
    ]),
  ),
  'description-stability': { asks, finds: 'Which operations carry which marker.', open },
}
