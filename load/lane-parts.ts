// What a lane is made of: one server, its keys, and the clients that reach it.

import type { RunOptions } from '../suites/kit/run-options.ts'
import type { LabelledKey, Session } from '../suites/kit/session.ts'
import type { Client } from '../suites/kit/wire/client.ts'
import type { Days } from './day.ts'
import type { Lane } from './lane.ts'

export interface LaneParts {
  readonly column: Lane['column']
  readonly options: RunOptions
  readonly keys: readonly LabelledKey[]
  readonly session: Session
  /** The suites' own client. */
  readonly client: Client
  /** Addresses of the host; none: as the system finds them. */
  readonly addresses: readonly string[]
  /** A server that counts nothing: no key has to rest there. */
  readonly isStateless: boolean
  readonly days: Days
}
