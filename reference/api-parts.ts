// The parts of the API. Each one can be replaced: a mutant or a legal variant does so in a few
// lines.
import type { Clock } from './clock.ts'
import type { KeyRecord, Keys } from './issued-keys.ts'
import type { Decision, Limiter } from './limiter.ts'
import type { ApiRequest, ApiResponse, Reading, WriteError } from './message.ts'
import type { FindRoute, OperationId } from './routes.ts'
import type { NewPet, Pet, PetStatus, Store } from './store.ts'

/** A request for an operation, with a valid key that has quota left. */
export interface Call {
  request: ApiRequest
  key: KeyRecord
  query: URLSearchParams
  petId: string
  nowMs: number
}

export type Operation = (call: Call, parts: Parts) => ApiResponse

/** The state behind the API. */
export interface Backing {
  clock: Clock
  keys: Keys
  limiter: Limiter
  store: Store
}

export interface Parts extends Backing {
  /** The key that the request carries, if it is one that was issued. */
  authenticate: (request: ApiRequest) => KeyRecord | undefined
  /** Charges the request to its key. */
  charge: (key: KeyRecord, request: ApiRequest, nowMs: number) => Decision
  /** The rate limit that the headers show to a caller without a key. */
  withoutKey: (nowMs: number) => Decision
  findRoute: FindRoute
  operations: Record<OperationId, Operation>
  readLimit: (values: readonly string[]) => Reading<number>
  readStatus: (values: readonly string[]) => Reading<PetStatus | undefined>
  readPetId: (text: string) => Reading<bigint>
  readNewPet: (request: ApiRequest) => Reading<NewPet>
  printPet: (pet: Pet) => string
  error: WriteError
  rateLimitHeaders: (decision: Decision) => Record<string, string>
  /** The value of `Retry-After` for a wait that ends at `nowMs + waitMs`. */
  retryAfter: (waitMs: number, nowMs: number) => string
  httpDate: (nowMs: number) => string
  deprecationHeaders: (removalAtMs: number) => Record<string, string>
  removalAtMs: number
}
