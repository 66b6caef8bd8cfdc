// The Prism mock of the OpenAPI document: a third opinion beside the reference. Prism's only door.
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
  const url = await server.listen(port, '127.0.0.1')
  return { url, close: () => server.close() }
}
