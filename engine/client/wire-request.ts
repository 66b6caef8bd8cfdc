// A request as it goes onto the wire, to the one origin of a client.
import type { ApiRequest, Header } from '../exchange.ts'

export interface WireRequest {
  readonly method: string
  /** Raw path and query. */
  readonly path: string
  readonly headers: readonly Header[]
  readonly body: string | Uint8Array | null
  readonly framing?: ApiRequest['framing']
  /** `one`: on the connection that the last such request used; `own`: beside others. */
  readonly connection: 'one' | 'own'
  /** Told of it when it is put on the wire, and not while it waits for its turn. */
  readonly leaving?: () => void
  /** On a new connection, which no other request uses. */
  readonly fresh?: true
}
