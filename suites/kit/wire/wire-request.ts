// A request as it goes onto the wire, to the one origin of a client.
import type { Header } from '../request.ts'

export interface WireRequest {
  readonly method: string
  /** Raw path and query. */
  readonly path: string
  readonly headers: readonly Header[]
  readonly body: string | Uint8Array | null
  /**
   * `one`: on the connection that the last such request used; `own`: beside others; `fresh`: on a
   * new one, which carries nothing else.
   */
  readonly connection: 'one' | 'own' | 'fresh'
}
