// What goes in and out of the API, without a socket: a request, a response, and what turns one
// into the other.

export interface ApiRequest {
  method: string
  /** The request target as it was sent: the path, and the query after a question mark. */
  target: string
  /** A header's value; several headers of one name are joined by a comma and a space. */
  header: (lowerCaseName: string) => string | undefined
  body: Buffer | 'too-large'
  /** How many bytes of the body came first; all of them where it is absent. */
  firstBytes?: number
  /** Which connection the request came over: one object for each. */
  connection: object
}

export interface ApiResponse {
  status: number
  headers: Record<string, string>
  body: string
  /** How the body is written; UTF-8 where it is not said. */
  encoding?: BufferEncoding
}

export type Handle = (request: ApiRequest) => ApiResponse | Promise<ApiResponse>

/** The path and the query; a target in absolute form (`http://host/path`) counts by its path. */
export const splitTarget = (target: string): { path: string; query: string } => {
  const own = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '')
  const mark = own.indexOf('?')
  if (mark === -1) return { path: own, query: '' }
  return { path: own.slice(0, mark), query: own.slice(mark + 1) }
}
