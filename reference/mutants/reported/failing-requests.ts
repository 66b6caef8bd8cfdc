// Middleware that fails at some valid requests, before their operation does anything.
import type { ApiRequest } from '../../message.ts'
import type { OperationId } from '../../routes.ts'
import type { Variant } from '../../variant.ts'

const ids: readonly OperationId[] = ['listPets', 'createPet', 'getPet']

/** Middleware fails before the operation does anything. */
export const failingAt = (status: 400 | 500, test: (request: ApiRequest) => boolean): Variant => ({
  parts: ({ operations }) => ({
    operations: Object.fromEntries(
      ids.map((id) => [
        id,
        (...[call, parts]: Parameters<(typeof operations)[typeof id]>) => {
          if (!test(call.request)) return operations[id](call, parts)
          return status === 500
            ? parts.error(500, 'internal', 'The service failed.')
            : parts.error(400, 'bad_request', 'The request is not valid.')
        },
      ]),
    ) as typeof operations,
  }),
})
