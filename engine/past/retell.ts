// Telling a run again: what its code asks is answered from the record, in the order in which the
// answers came, so that all that the checks share is as it was; nothing is sent.
import type { Sent } from '../asker.ts'
import type { Exchange } from '../exchange.ts'
import type { ApiRequest } from '../request.ts'
import type { EvidenceRequest } from '../run-file.ts'
import type { Segment, Told, ToldExchange } from './past.ts'
import { exchangeOf, type Rebuilding } from './told-exchange.ts'
import type { ToldTime } from './told-time.ts'
import { Untold } from './untold.ts'

/** What the session does with a request that is told. */
export interface Hearers extends Rebuilding {
  /** How a request is written down. */
  readonly written: (request: Exchange['request']) => EvidenceRequest
  /** Marks an exchange whose Date does not tell the time at the target. */
  readonly dated: (exchange: Exchange) => Exchange
  /** It is about to be sent. */
  readonly leaves: (check: string, label: string | null) => void
  /** Its answer came, or none will. @returns whether the key was refused for its quota */
  readonly arrives: (exchange: Exchange) => boolean
  readonly record: (exchange: Exchange) => void
  /** It was under way when the run was broken off. */
  readonly lost: (sending: Told<'sending'>) => void
}

export interface Retelling {
  readonly begin: (segment: Segment) => void
  /** @throws Untold where the record has no such request */
  readonly send: (check: string, asked: ApiRequest) => Promise<Sent>
  /** Takes in what nobody asked for. */
  readonly end: () => void
  /** All is told: a new sitting begins. */
  readonly goOn: () => void
  /** The number of the last request that was told, or sent since. */
  readonly latest: () => number
  readonly nextSeq: () => number
  /** The number of the last request before the sitting that is told, or goes on; 0 in the first. */
  readonly brokenAt: () => number
  readonly hasMore: () => boolean
}

/** Turns of the event loop in which nothing more is asked, before an answer is taken as unasked. */
const idleMost = 3

/**
 * Goes on turn by turn, so that what hears an answer may ask on before the next one comes.
 * @param step what it does in a turn
 * @param skip what it does where nothing moves any more
 */
const createPump = (step: () => 'moved' | 'waits' | 'nothing', skip: () => void) => {
  let isOn = false
  let idle = 0
  const turn = () => {
    isOn = false
    const found = step()
    if (found === 'nothing') return
    idle = found === 'waits' ? idle + 1 : 0
    if (idle > idleMost) {
      idle = 0
      skip()
    }
    on()
  }
  const on = () => {
    if (isOn) return
    isOn = true
    setImmediate(turn)
  }
  return on
}

interface Claim {
  readonly asked: ApiRequest
  readonly hear: (sent: Sent) => void
}

const nothing: Pick<Segment, 'exchanges' | 'lost' | 'brokenAt'> = {
  exchanges: [],
  lost: [],
  brokenAt: 0,
}

/** Lets the requests of a record leave and arrive once more, by its own time. */
const createPassage = (time: ToldTime, hearers: Hearers, left: (seq: number) => void) => {
  const reach = ({ at, answered }: ToldExchange, nowMs: number, movedMs: number) =>
    time.reach({ nowMs, movedMs, wallMs: Date.parse(at) + nowMs - answered.sentMs })
  return {
    leave: (told: ToldExchange) => {
      reach(told, told.answered.sentMs, told.answered.movedMs)
      left(told.seq)
      hearers.leaves(told.check, told.key)
    },
    /** @param asked by the code that is told again; undefined: it did not ask */
    arrive: (told: ToldExchange, asked: ApiRequest | undefined): Sent => {
      const { receivedMs, movedMs, meanwhileMs = 0 } = told.answered
      reach(told, receivedMs, movedMs + meanwhileMs)
      const exchange = hearers.dated(exchangeOf(told, asked, hearers))
      return { exchange, refused: hearers.arrives(exchange) }
    },
    isSame: (told: ToldExchange, check: string, asked: ApiRequest): boolean => {
      const isKeyed = asked.authorization === 'valid'
      if (told.check !== check || told.request.method !== asked.method) return false
      if ((told.key !== null) !== isKeyed) return false
      if (isKeyed && asked.key !== undefined && asked.key !== told.key) return false
      const written = hearers.written(hearers.sent(asked, told.key))
      return JSON.stringify(written) === JSON.stringify(told.request)
    },
  }
}

export const createRetelling = (time: ToldTime, hearers: Hearers): Retelling => {
  let latest = 0
  let brokenAt = 0
  let segment = nothing
  // Its exchanges in the order of their answers, and of their sending.
  let arriving: ToldExchange[] = []
  let leaving: ToldExchange[] = []
  const claims = new Map<ToldExchange, Claim>()
  const left = (seq: number) => {
    latest = Math.max(latest, seq)
  }
  const nextSeq = () => ++latest
  const { leave, arrive, isSame } = createPassage(time, hearers, left)

  const hearUnasked = (told: ToldExchange) => {
    if (leaving.includes(told)) leave(told)
    leaving = leaving.filter((each) => each !== told)
    hearers.record(arrive(told, undefined).exchange)
  }

  const pump = createPump(
    () => {
      const [head] = arriving
      if (!head || claims.size === 0) return 'nothing'
      const claim = claims.get(head)
      if (!claim) return 'waits'
      claims.delete(head)
      arriving.shift()
      claim.hear(arrive(head, claim.asked))
      return 'moved'
    },
    () => {
      const head = arriving.shift()
      if (head) hearUnasked(head)
    },
  )

  return {
    begin: (next) => {
      segment = next
      brokenAt = next.brokenAt
      time.tell(next)
      arriving = [...next.exchanges]
      leaving = next.exchanges.toSorted((a, b) => a.seq - b.seq)
    },
    send: (check, asked) => {
      const told = leaving.find((each) => isSame(each, check, asked))
      if (!told) return Promise.reject(new Untold())
      leaving = leaving.filter((each) => each !== told)
      leave(told)
      pump()
      return new Promise((hear) => {
        claims.set(told, { asked, hear })
      })
    },
    end: () => {
      for (const told of arriving) hearUnasked(told)
      for (const sending of segment.lost) {
        left(sending.seq)
        hearers.lost(sending)
      }
      arriving = []
      claims.clear()
    },
    goOn: () => {
      brokenAt = latest
    },
    latest: () => latest,
    nextSeq,
    brokenAt: () => brokenAt,
    hasMore: () => leaving.length > 0,
  }
}
