// Requests, responses and errors of the API, independent of a socket.

export interface ApiRequest {
  method: string
  /** The request target as it was sent: the path, and the query after a question mark. */
  target: string
  /** A header's value; several headers of one name are joined by a comma and a space. */
  header: (lowerCaseName: string) => string | undefined
  /** The fields of its head as they were sent, a line each; absent where nobody reads them. */
  head?: string
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
  /** The encoding of the body, if it is not UTF-8. */
  encoding?: BufferEncoding
}

export type Handle = (request: ApiRequest) => ApiResponse | Promise<ApiResponse>

/** Thrown by a handler to close the connection in place of a response. */
export class ConnectionLost extends Error {}

/** The path and the query; a target in absolute form (`http://host/path`) counts by its path. */
export const splitTarget = (target: string): { path: string; query: string } => {
  const own = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '')
  const mark = own.indexOf('?')
  if (mark === -1) return { path: own, query: '' }
  return { path: own.slice(0, mark), query: own.slice(mark + 1) }
}

export interface Refusal {
  status: number
  /** One for each condition, so that a client can tell them apart. */
  code: string
  message: string
}

/** What reading a part of a request gives: its value, or why it was refused. */
export type Reading<T> = { value: T } | { refusal: Refusal }

export const refuse = (status: number, code: string, message: string) => ({
  refusal: { status, code, message },
})

export type WriteError = (status: number, code: string, message: string) => ApiResponse

export const writeError: WriteError = (status, code, message) => ({
  status,
  headers: {},
  body: JSON.stringify({ code, message, status }),
})
