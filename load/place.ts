// A server that takes a load, with the session that a run holds with it.
import { randomBytes } from 'node:crypto'
import type { RunOptions, RunSink } from '../suites/kit/run-options.ts'
import { labelKeys, openSession } from '../suites/kit/session.ts'
import { openWires } from '../suites/kit/wire/wires.ts'
import { createDays } from './day.ts'
import type { LaneParts } from './lane-parts.ts'
import type { Beside } from './load-settings.ts'

/** A server that the same load is put on, beside the target. */
export interface BesideServer {
  readonly column: Beside
  readonly options: RunOptions
  readonly isStateless: boolean
  /** How many requests have reached it, where it can be asked. */
  readonly received: (() => number) | null
}

export interface Place {
  readonly parts: LaneParts
  readonly received: (() => number) | null
  readonly close: () => Promise<void>
}

/** A scenario may send what the whole run may. */
export const openPlace = (
  given: Pick<BesideServer, 'options' | 'isStateless' | 'received'>,
  column: LaneParts['column'],
  addresses: readonly string[],
  sink: RunSink,
): Place => {
  const options = { ...given.options, maxRequestsByCheck: given.options.maxRequests }
  const wires = openWires(options)
  const keys = labelKeys(options.keys)
  const session = openSession(options, keys, randomBytes(4).toString('hex'), sink, wires)
  const { client } = wires
  return {
    parts: {
      column,
      options,
      keys,
      session,
      client,
      addresses,
      isStateless: given.isStateless,
      days: createDays(session),
    },
    received: given.received,
    close: session.close,
  }
}
