// The Prism mock of the OpenAPI document: a third opinion beside the reference. Prism's only door.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, Server } from 'node:http'
import prismCore from '@stoplight/prism-core'
import prismHttp from '@stoplight/prism-http'
import prismServer from '@stoplight/prism-http-server'
import { openapiFile } from '../spec/openapi.ts'

export interface Mock {
  /** Without a version prefix: Prism serves the paths as the document has them. */
  url: string
  close: () => Promise<void>
}

/** A broken escape in a path would end the whole process; it is taken for the text that it is. */
const decodable = (path: string): string => {
  try {
    decodeURIComponent(path)
    return path
  } catch {
    return path.replaceAll('%', '%25')
  }
}

interface Begun {
  readonly request: IncomingMessage
  readonly server: Server
}

/**
 * Where a body is no JSON, Prism waits for the end of that body before it answers, and by then the
 * end is over: it would never answer. It is told of the end once more, and answers as it means to.
 * @returns ends it
 */
const tellOfEndAgain = (port: number): (() => void) => {
  const begun = (message: unknown) => {
    const { request, server } = message as Begun
    const address = server.address()
    if (typeof address !== 'object' || address?.port !== port) return
    const { resume } = request
    request.resume = () => {
      if (request.readableEnded) setImmediate(() => request.emit('close'))
      return resume.call(request)
    }
  }
  subscribe(startOfRequest, begun)
  return () => unsubscribe(startOfRequest, begun)
}

const startOfRequest = 'http.server.request.start'

/** Prism rejects with the message alone of an error that had a code and a port. */
const errorOf = (thrown: unknown, port: number): unknown => {
  if (typeof thrown !== 'string') return thrown
  return Object.assign(new Error(thrown), { code: /\bE[A-Z]{3,}\b/.exec(thrown)?.[0], port })
}

/** Takes any bearer token as a key. It is stateless, and answers with what the document shows. */
export const startPrism = async (port: number): Promise<Mock> => {
  const operations = await prismHttp.getHttpOperationsFromSpec(openapiFile)
  const server = prismServer.createServer(operations, {
    cors: false,
    components: { logger: prismCore.createLogger('petvet', { level: 'silent' }) },
    config: {
      isProxy: false,
      validateRequest: true,
      validateResponse: true,
      checkSecurity: true,
      errors: false,
      upstreamProxy: undefined,
      mock: { dynamic: false },
    },
  })
  const { prism } = server
  const { request } = prism
  prism.request = (input, ...rest) => {
    const url = { ...input.url, path: decodable(input.url.path) }
    return request({ ...input, url }, ...rest)
  }
  const url = await server.listen(port, '127.0.0.1').catch((thrown) => {
    throw errorOf(thrown, port)
  })
  const endTelling = tellOfEndAgain(Number(new URL(url).port))
  const close = async () => {
    endTelling()
    await server.close()
  }
  return { url, close }
}
