// What a run notes of its keys: every call, in the notebook where there is one.
import { randomBytes } from 'node:crypto'
import type { Quota } from '../../../spec/plans.ts'
import type { Exchange } from '../exchange.ts'
import { statusOf } from '../exchange.ts'
import { hearDay } from './day-said.ts'
import type { Notebook } from './notebook.ts'
import { emptyPage, noteCall, type Page } from './notebook-page.ts'

export interface Notes {
  /** What is known of a key's day, of this run and of those before it. */
  readonly page: (label: string) => Page
  /** Notes a call before it is sent, and writes it down. */
  readonly sending: (label: string) => void
  /** A call that was noted was not sent after all. */
  readonly unsent: (label: string) => void
  readonly hear: (exchange: Exchange) => void
  readonly save: () => void
}

interface NotedKey {
  readonly label: string
  readonly key: string
  readonly quota: Quota
}

/** Calls that come in a burst are not held up by writing each of them down at once. */
const betweenMs = 100

const endingOf = (exchange: Exchange) => {
  const status = statusOf(exchange)
  if (exchange.response === null) return 'lost'
  if (status >= 200 && status < 300) return 'served'
  return status === 429 ? 'refused' : 'other'
}

/** @param notebook null: what is known ends with the run */
export const createNotes = (
  notebook: Notebook | null,
  target: string,
  keys: readonly NotedKey[],
): Notes => {
  const openPage = (key: string) =>
    notebook?.pageOf(target, key) ?? emptyPage(target, randomBytes(16).toString('hex'))
  const pages = new Map(keys.map(({ label, key }) => [label, openPage(key)]))
  const quotas = new Map(keys.map(({ label, quota }) => [label, quota]))
  let savedMs = Number.NEGATIVE_INFINITY

  const save = () => {
    savedMs = performance.now()
    notebook?.save()
  }

  const page = (label: string): Page => {
    const found = pages.get(label)
    if (found) return found
    throw new Error(`no key of the run is called ${label}`)
  }

  return {
    page,
    sending: (label) => {
      page(label).underWay += 1
      save()
    },
    unsent: (label) => {
      page(label).underWay -= 1
    },
    hear: (exchange) => {
      const own = exchange.key === null ? undefined : pages.get(exchange.key)
      const quota = quotas.get(exchange.key ?? '')
      if (!own || !quota) return
      const fromMs = Date.parse(exchange.at)
      const tookMs = Math.ceil(exchange.receivedMs - exchange.sentMs)
      noteCall(own, fromMs, fromMs + tookMs, endingOf(exchange))
      hearDay(own, exchange, quota)
      // A run that is killed while it waits has lost nothing.
      if (own.underWay === 0 || performance.now() - savedMs >= betweenMs) save()
    },
    save,
  }
}
