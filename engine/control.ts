// The control requests: one sound request of each operation, asked once and then remembered.

import { anyBody } from './body.ts'
import type { Context } from './context.ts'
import type { Answered } from './exchange.ts'
import { statusOf } from './exchange.ts'
import { told } from './expect.ts'
import { fetchKnown } from './fetch-known.ts'
import type { Herd } from './herd.ts'
import { isObject, type Json, printJson } from './json.ts'
import { permissionLack } from './lack.ts'
import { Untested } from './outcome.ts'
import type { Permission } from './permission.ts'
import { get, post } from './request.ts'

/** The name under which control requests are recorded. */
export const controlId = 'control'

interface Parts {
  readonly call: Context['call']
  readonly newPet: Context['newPet']
  readonly herd: Herd
  readonly allow: readonly Permission[]
  readonly trace: readonly Answered[]
}

/** Whether a response has this status and such a body; a body that is not read may be one. */
const isSuch = (exchange: Answered, status: number, test: (value: Json) => boolean): boolean => {
  const body = anyBody(exchange)
  const isBody = 'value' in body ? test(body.value) : 'unread' in body
  return statusOf(exchange) === status && isBody
}

/** Whether an answer is 200 with a list. */
export const isSoundList = (exchange: Answered): boolean => isSuch(exchange, 200, Array.isArray)

const isCreated = (exchange: Answered): boolean =>
  isSuch(exchange, 201, (value) => isObject(value) && typeof value.id === 'bigint')

/** The sound request was answered, and not as it must be: asking again would tell nothing new. */
class ControlFailed extends Untested {}

const unless = (sound: boolean, wanted: string, exchange: Answered): Answered => {
  if (sound) return exchange
  const message = `the control wanted ${wanted} and got ${told(exchange)}`
  throw new ControlFailed('blocked', message, [exchange])
}

/** The fetch of a pet that a control request got: in a resumed run it may be a recorded one. */
export const fetchIn = (trace: readonly Answered[]): Answered | undefined =>
  trace.find(
    (one) =>
      one.check === controlId && one.asked.path.startsWith('/pets/') && statusOf(one) === 200,
  )

export const createControls = (parts: Parts): Context['control'] => {
  const asked = new Map<string, Promise<Answered>>()

  const ask = {
    list: async () => {
      const first = parts.trace.find((one) => one.key !== null && isSoundList(one))
      const exchange = first ?? (await parts.call(get('/pets')))
      return unless(isSoundList(exchange), '200 with a list', exchange)
    },
    create: async () => {
      const lack = permissionLack(['write'], parts.allow)
      if (lack) throw lack
      const exchange = await parts.call(post('/pets', printJson(parts.newPet())))
      return unless(isCreated(exchange), '201 with an animal', exchange)
    },
    get: async () => {
      const recorded = fetchIn(parts.trace)
      if (recorded) return recorded
      if (parts.herd.someId() === undefined) await control('list')
      if (parts.herd.someId() === undefined) await control('create')
      const id = parts.herd.someId()
      if (id === undefined) throw new Untested('blocked', 'no response shows a pet with an id')
      const exchange = await fetchKnown(parts, id)
      return unless(statusOf(exchange) === 200, '200 for an animal that exists', exchange)
    },
  }

  const control = (operation: keyof typeof ask): Promise<Answered> => {
    const known = asked.get(operation)
    if (known) return known
    const exchange = ask[operation]()
    asked.set(operation, exchange)
    exchange.catch((error) => {
      if (!(error instanceof ControlFailed)) asked.delete(operation)
    })
    return exchange
  }
  return control
}
