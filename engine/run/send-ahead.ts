// Rows have no order among them but their stage: where responses take long, the values of the next
// ones are sent several at a time. What is due is the response of its row; all else is sent alone.

import type { AnsweredExchange } from '../../history/exchange.ts'
import { allEnded, completes } from '../../history/outcome.ts'
import { Unexplained } from '../../model/explanation.ts'
import type { SendingCheck, Stage, Value } from '../check/declare.ts'
import { groupOf } from '../check/findings.ts'
import { unlessLost } from '../check/key-handle.ts'
import type { PackedOperation } from '../check/parts.ts'
import { pickBy } from '../check/row.ts'
import { hasAmpleQuota } from '../check/spendable-keys.ts'
import { createQueue } from '../http/client.ts'
import { contextOf } from './contexts.ts'
import type { Packs } from './packs.ts'
import { ask } from './send.ts'
import { requestOf } from './send-row.ts'
import type { Session } from './session.ts'

const maxInFlight = 8
/** Values that are sent before the first of them is judged: three times what is in flight. */
const maxAhead = 24

/** In these no row changes what the requests of another one get, unless that says so. */
const stages: readonly Stage[] = ['unauthenticated', 'refusals', 'creations', 'reads']

/** The quickest of so many responses shows how long one takes. */
const maxFirst = 4
const minDistantMs = 20

const isDistant = ({ trace }: Session): boolean =>
  trace.slice(0, maxFirst).every(({ sentMs, receivedMs }) => receivedMs - sentMs > minDistantMs)

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
  readonly #session: Session
  readonly #packs: Packs
  /** Values that were not sent yet, in the order of the run. */
  readonly #left: Next[]
  readonly #responses = new Map<Value, AnsweredExchange>()
  readonly #operations = new Set<PackedOperation>()

  /** @param rows those that can run, in the order of the run */
  constructor(session: Session, packs: Packs, rows: readonly SendingCheck[]) {
    this.#session = session
    this.#packs = packs
    this.#left = rows
      .filter(isFree)
      .flatMap((row) => session.valuesOf(row).map((value) => ({ row, value })))
  }

  /** How many requests may be sent now, with a key or without: 0 where responses come at once. */
  #room(isKeyed: boolean): number {
    const { budget, governor, options } = this.#session
    if (!hasAmpleQuota(options) || !isDistant(this.#session)) return 0
    return isKeyed ? Math.min(governor.left(), budget.left()) : budget.left()
  }

  /** Whether its status is due, or what is wrong with it failed alone before. */
  #isSure(response: AnsweredExchange): boolean {
    const { judge, shows, failedAlone } = this.#session
    judge.again(response)
    const found = shows(response)
    if (found) return failedAlone.has(groupOf(found))
    return !judge.doubtsAbout(response).some((doubt) => doubt instanceof Unexplained)
  }

  /** The response to a value of the row whose turn it is, unless that has to be sent alone. */
  readonly responseTo = async (value: Value): Promise<AnsweredExchange | undefined> => {
    const at = this.#left.findIndex((next) => next.value === value)
    if (at >= 0) await this.#sendFrom(at)
    const response = this.#responses.get(value)
    this.#responses.delete(value)
    return response && this.#isSure(response) ? response : undefined
  }

  /** Sends all packs of an operation, once: what gets the status of the plain request passes. */
  readonly sendPacks = async (operation: PackedOperation, status: number): Promise<void> => {
    const room = this.#room(true)
    if (room < 2 || this.#operations.has(operation)) return
    this.#operations.add(operation)
    await this.#sendAll(this.#packs.take(operation, room, []), async (pieces) => {
      const [first] = pieces
      if (!first) return
      const request = requestOf(operation, first.context, pieces)
      const carried = this.#packs.carry(pieces, request, status)
      await ask(this.#session, first.id, carried, 'separate')
    })
  }

  async #sendFrom(at: number): Promise<void> {
    const [first] = this.#left.slice(at)
    const { needs: { stage } = {} } = first?.row ?? {}
    const room = this.#room(stage !== 'unauthenticated')
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
        const context = contextOf(this.#session, id)
        const request = value[1](context, pickBy(context.seed))
        this.#responses.set(value, await ask(this.#session, id, request, 'separate'))
      },
    )
  }

  #isReady({ id, after }: SendingCheck): Promise<boolean> | boolean {
    return after === undefined || completes(contextOf(this.#session, id).control(after))
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
