// How requests leave: to the target, or, while the past of a run is told, to the record of it.
import type { Ask, AskerParts, Send } from './asker.ts'
import { addressed, createAsker, createSend } from './asker.ts'
import type { Answered, Exchange } from './exchange.ts'
import { isAnswered } from './exchange.ts'
import type { Journal } from './past/journal.ts'
import type { Hearers, Retelling } from './past/retell.ts'
import { createRetelling } from './past/retell.ts'
import type { ToldTime } from './past/told-time.ts'
import type { Budget } from './quota/budget.ts'
import { createDateWatch } from './quota/date-watch.ts'
import type { Governor } from './quota/governor.ts'
import type { Pace } from './quota/pace.ts'
import { requestOf } from './record.ts'
import type { Redactor } from './redact.ts'
import type { KeyOption, RunOptions } from './run-options.ts'
import type { Client } from './wire/client.ts'
import type { Connections } from './wire/connections.ts'
import { createWithdrawals, type Withdrawals } from './withdrawn.ts'

interface Parts {
  readonly options: RunOptions
  readonly keys: readonly (KeyOption & { readonly label: string })[]
  readonly client: Client
  readonly governor: Governor
  readonly budget: Budget
  readonly pace: Pace
  readonly wallMs: () => number
  readonly redactor: Redactor
  readonly journal: Journal
  readonly time: ToldTime
  readonly record: (exchange: Exchange) => void
  readonly trace: Answered[]
  readonly connections: Connections
}

type Address = Pick<AskerParts, 'baseUrl' | 'keyOf' | 'headers' | 'dated'>

const hearersOf = (parts: Parts, address: Address): Hearers => {
  const { governor, budget, redactor, record } = parts
  const leaves = (check: string, label: string | null) => {
    budget.count(check)
    if (label !== null) governor.take(label)
  }
  return {
    ...address,
    record,
    sent: (asked, label) => addressed(address, asked, label),
    written: (request) => requestOf({ request }, redactor),
    leaves,
    arrives: (exchange) => {
      const { key } = exchange
      if (key === null) return false
      if (isAnswered(exchange)) return governor.learn(key, exchange)
      governor.lost(key)
      return false
    },
    lost: ({ check, key }) => {
      leaves(check, key)
      if (key !== null) governor.lost(key)
    },
  }
}

export interface Sending {
  readonly ask: Ask
  readonly withdrawals: Withdrawals
  /** What a reader of the run has to know, in a sentence each; told once. */
  readonly news: () => readonly string[]
  readonly retelling: Retelling
  /** The number of the next exchange. */
  readonly nextSeq: () => number
}

export const createSending = (parts: Parts): Sending => {
  const { options, keys, client, governor, budget, pace, wallMs, journal, time } = parts
  const keyOf = (label: string) => keys.find((key) => key.label === label)?.key ?? ''
  const address = {
    ...{ baseUrl: new URL(options.baseUrl), keyOf, headers: options.headers },
    dated: createDateWatch(),
  }
  const retelling = createRetelling(time, hearersOf(parts, address))
  const { nextSeq } = retelling
  const live = createSend({
    ...address,
    ...{ client, governor, budget, nextSeq, wallMs, leaving: journal.add },
    movedMs: pace.movedMs,
    isFresh: parts.connections.isFresh,
  })
  const send: Send = (check, asked, own) =>
    time.isTelling() ? retelling.send(check, asked) : live(check, asked, own)
  const { trace } = parts
  const withdrawals = createWithdrawals({
    ask: createAsker(send, options.signal, parts.record),
    labels: keys.map(({ label }) => label),
    trace,
    leave: (label) => governor.use(label, false),
  })
  const news = () => [withdrawals, parts.connections].flatMap((each) => each.news())
  return { ask: withdrawals.ask, withdrawals, news, retelling, nextSeq }
}
