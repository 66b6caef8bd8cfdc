// A request as plain as can be, for tests of the wire.
import type { WireRequest } from '../engine/client/wire-request.ts'

export const plain: WireRequest = {
  method: 'GET',
  path: '/v1/pets',
  headers: [],
  body: null,
  connection: 'one',
}
