// A request as plain as can be, for tests of the wire.
import type { WireRequest } from '../engine/client/http1.ts'

export const plain: WireRequest = {
  method: 'GET',
  path: '/v1/pets',
  headers: [],
  body: null,
  connection: 'shared',
}
