// A request as a check asks for it, before a key is chosen and an address put in front.

export type Header = readonly [name: string, value: string]

export interface ApiRequest {
  readonly method: string
  /** Raw path and query, sent as it stands: relative to the base address, or to the origin. */
  readonly path: string
  readonly from: 'base' | 'origin'
  /**
   * `valid`: a valid key as bearer token, chosen by the governor; `null`: no such header;
   * otherwise the header's values exactly as given, which are taken for *no valid key*.
   */
  readonly authorization: 'valid' | null | readonly string[]
  /** How the scheme is spelt in front of a valid key. */
  readonly scheme: string
  /** The key (as plan and position) that must be used, where it matters. */
  readonly key?: string
  readonly headers: readonly Header[]
  readonly body: string | Uint8Array | null
  /** So many spaces go in front of the body; a record has their number in place of them. */
  readonly padding?: number
  /** How the body goes out, where it is not at once and with its length. */
  readonly framing?: 'chunked' | 'in two parts'
  /**
   * The valid key (as plan and position) that stands among these values of `authorization`: the
   * target may take it, so it leaves only when that key has a request left.
   */
  readonly carries?: string
  /** Sent with its `key` whatever the governor thinks of it; a refusal is then an answer. */
  readonly insists?: true
  /** Sent on a new connection, which carries nothing else. */
  readonly fresh?: true
}

const plainCoding: Header = ['Accept-Encoding', 'identity']

/** Bodies are asked for without a coding, unless these headers name one. */
export const withPlainCoding = (headers: readonly Header[]): readonly Header[] =>
  headers.some(([name]) => name.toLowerCase() === 'accept-encoding')
    ? headers
    : [...headers, plainCoding]

const plain = {
  from: 'base',
  authorization: 'valid',
  scheme: 'Bearer',
  headers: [],
  body: null,
} as const

export const get = (path: string): ApiRequest => ({ ...plain, method: 'GET', path })

export const json: Header = ['Content-Type', 'application/json']

export const post = (path: string, body: string | Uint8Array | null, headers: Header[] = [json]) =>
  ({ ...plain, method: 'POST', path, headers, body }) satisfies ApiRequest

/** The same request without a valid key: with no Authorization, or with these values of it. */
export const unauthorized = (request: ApiRequest, ...values: string[]): ApiRequest => ({
  ...request,
  authorization: values.length > 0 ? values : null,
})

/** The same request with this key; with any, where none is named. */
export const withKey = (request: ApiRequest, key: string | null | undefined): ApiRequest =>
  key == null ? request : { ...request, key }

/** The same request with the key that another exchange used. */
export const withKeyOf = (request: ApiRequest, exchange: { key: string | null }): ApiRequest =>
  withKey(request, exchange.key)
