// The API behind the limiters: the reference's responses, without a limit or its headers.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { compose } from '../../reference/api.ts'
import { realClock } from '../../reference/clock.ts'
import { createKeys, type IssuedKey, type KeyRecord } from '../../reference/issued-keys.ts'
import type { ApiResponse } from '../../reference/message.ts'
import { receive } from '../../reference/socket.ts'
import { memoryStore } from '../../reference/store.ts'

export interface Api {
  /** The key that a request carries, if it is one that was issued. */
  keyOf: (message: IncomingMessage) => KeyRecord | undefined
  /** The response to a request, 401 included, without rate-limit headers. */
  answerTo: (message: IncomingMessage) => Promise<ApiResponse>
  /** Writes the response of `answerTo` to a message of Node. */
  serve: (message: IncomingMessage, response: ServerResponse) => Promise<void>
}

/** Puts a limiter before the API; the server does not listen yet. */
export type Mount = (api: Api, redisSocket: string) => Server | Promise<Server>

const bodyMostBytes = 1_048_576

/** All values of the header, joined: Node's own view drops the second of two. */
const authorizationOf = ({ rawHeaders }: IncomingMessage): string | undefined => {
  const values = rawHeaders.filter(
    (_value, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'authorization',
  )
  return values.length === 0 ? undefined : values.join(', ')
}

const isOfLimit = (name: string): boolean => /^(x-ratelimit-.*|date)$/i.test(name)

export const createLimitlessApi = (issued: readonly IssuedKey[]): Api => {
  const keys = createKeys(issued)
  const take = () => ({ granted: true, limit: 0, remaining: 0, resetAtMs: 0 })
  const backing = { clock: realClock, keys, limiter: { take }, store: memoryStore() }
  const { handle } = compose(backing, {})
  const answerTo = async (message: IncomingMessage): Promise<ApiResponse> => {
    const response = await new Promise<ApiResponse>((resolve, reject) => {
      receive(message, bodyMostBytes, (request) => {
        Promise.resolve(handle(request)).then(resolve, reject)
      })
    })
    const headers = Object.entries(response.headers).filter(([name]) => !isOfLimit(name))
    return { ...response, headers: Object.fromEntries(headers) }
  }
  return {
    keyOf: (message) => keys.find(authorizationOf(message)),
    answerTo,
    serve: async (message, response) => {
      const { status, headers, body } = await answerTo(message)
      response.statusCode = status
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
      response.end(body)
    },
  }
}
