// Rows have no order among them but their stage: where responses take long, the values of the next
// ones are sent several at a time. What is due is the response of its row; all else is sent alone.

import type { AnsweredExchange, ApiRequest } from '../../history/exchange.ts'
import { allEnded, completes } from '../../history/outcome.ts'
import type { Context } from '../check/context.ts'
import type { SendingCheck, Stage, Value } from '../check/declare.ts'
import { unlessLost } from '../check/key-handle.ts'
import type { PackedOperation } from '../check/parts.ts'
import { pickBy } from '../check/row.ts'
import { createQueue } from '../http/client.ts'
import type { Packs } from './packs.ts'
import { requestOf } from './send-row.ts'

const maxInFlight = 8
/** Values that are sent before the first of them is judged: three times what is in flight. */
const maxAhead = 24

/** In these no row changes what the requests of another one get, unless that says so. */
const stages: readonly Stage[] = ['unauthenticated', 'refusals', 'creations', 'reads']

interface Means {
  readonly contextOf: (id: string) => Context
  /** Sends a request of a check on a connection of its own. */
  readonly send: (id: string, request: ApiRequest) => Promise<AnsweredExchange>
  /** How many requests may be sent now, with a key or without: 0 where responses come at once. */
  readonly room: (isKeyed: boolean) => number
  /** Whether its status is due, or what is wrong with it failed alone before. */
  readonly isSure: (response: AnsweredExchange) => boolean
}

interface Next {
  readonly row: SendingCheck
  readonly value: Value
}

/** Its requests depend on nothing that only its turn decides. */
const isFree = ({ needs, values, dates, pack, operation, after }: SendingCheck): boolean =>
  stages.includes(needs.stage) &&
  values !== undefined &&
  dates === undefined &&
  pack === undefined &&
  (after !== undefined || operation !== 'create')

export class SendAhead {
  readonly #means: Means
  readonly #packs: Packs
  /** Values that were not sent yet, in the order of the run. */
  readonly #left: Next[]
  readonly #responses = new Map<readonly unknown[], AnsweredExchange>()
  readonly #operations = new Set<PackedOperation>()

  /** @param rows those that can run, in the order of the run */
  constructor(rows: readonly SendingCheck[], packs: Packs, means: Means) {
    this.#means = means
    this.#packs = packs
    this.#left = rows.filter(isFree).flatMap((row) => {
      const further = means.contextOf(row.id).drawn(row.more ?? [])
      return [...(row.values ?? []), ...further].map((value) => ({ row, value }))
    })
  }

  /** The response to a value of the row whose turn it is, unless that has to be sent alone. */
  readonly responseTo = async (
    value: readonly unknown[],
  ): Promise<AnsweredExchange | undefined> => {
    const at = this.#left.findIndex((next) => next.value === value)
    if (at >= 0) await this.#sendFrom(at)
    const response = this.#responses.get(value)
    this.#responses.delete(value)
    return response && this.#means.isSure(response) ? response : undefined
  }

  /** Sends all packs of an operation, once: what gets the status of the plain request passes. */
  readonly sendPacks = async (operation: PackedOperation, status: number): Promise<void> => {
    const room = this.#means.room(true)
    if (room < 2 || this.#operations.has(operation)) return
    this.#operations.add(operation)
    await this.#sendAll(this.#packs.take(operation, room, []), async (pieces) => {
      const [first] = pieces
      if (!first) return
      const request = requestOf(operation, first.context, pieces)
      await this.#means.send(first.id, this.#packs.carry(pieces, request, status))
    })
  }

  async #sendFrom(at: number): Promise<void> {
    const [first] = this.#left.slice(at)
    const { needs: { stage } = {} } = first?.row ?? {}
    const room = this.#means.room(stage !== 'unauthenticated')
    if (room < 2) return
    const following = this.#left.slice(at, at + Math.min(maxAhead, room))
    const end = following.findIndex(
      ({ row }) => row.needs.stage !== stage || (row !== first?.row && row.sentBy !== undefined),
    )
    const batch = this.#left.splice(at, end < 0 ? following.length : end)
    const rows = new Set(batch.map(({ row }) => row))
    const ready = new Set<SendingCheck>()
    for (const row of rows) if (await this.#isReady(row)) ready.add(row)
    await this.#sendAll(
      batch.filter(({ row }) => ready.has(row)),
      async ({ row: { id }, value }) => {
        const context = this.#means.contextOf(id)
        const request = value[1](context, pickBy(context.seed))
        this.#responses.set(value, await this.#means.send(id, request))
      },
    )
  }

  #isReady({ id, after }: SendingCheck): Promise<boolean> | boolean {
    return after === undefined || completes(this.#means.contextOf(id).control(after))
  }

  /** Nothing is sent after what was refused, lost or could not be sent; all have ended then. */
  async #sendAll<T>(all: readonly T[], send: (one: T) => Promise<void>): Promise<void> {
    const queued = createQueue(maxInFlight)
    let isOver = false
    const sendNext = async (one: T): Promise<void> => {
      if (!isOver) isOver = !(await completes(unlessLost(send(one))))
    }
    await allEnded(all.map((one) => queued(() => sendNext(one))))
  }
}
