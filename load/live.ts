// The live line: once a second, what a scenario does at which server; and at its end, what it did.
import { fates } from '../engine/load-figures.ts'
import type { RunSink } from '../engine/run-options.ts'
import type { OpenLane } from './open-lane.ts'

const everyMs = 1_000
/** A rate over less than this says nothing. */
const leastMs = 400

const countsOf = ({ meter }: OpenLane): string[] => {
  const counts = meter.counts()
  return fates.filter((fate) => counts[fate] > 0).map((fate) => `${counts[fate]} ${fate}`)
}

export interface Live {
  /** The lane whose turn it is. */
  readonly turn: (open: OpenLane) => void
  readonly end: () => void
}

/** @param sentInAll by the whole run */
export const createLive = (scenario: string, sink: RunSink, sentInAll: () => number): Live => {
  const all = new Set<OpenLane>()
  let current: OpenLane | undefined
  let from = { ms: performance.now(), sent: 0 }

  const say = (parts: readonly string[]) => sink.event({ kind: 'load', text: parts.join(', ') })

  const tell = () => {
    sink.event({ kind: 'request', sent: sentInAll() })
    const ms = performance.now()
    if (!current || ms - from.ms < leastMs) return
    const sent = current.meter.sent()
    // While a key rests there is nothing to say but the wait.
    if (sent === from.sent) return
    const perSecond = Math.round(((sent - from.sent) * 1000) / (ms - from.ms))
    from = { ms, sent }
    say([`${scenario} at ${current.lane.column}`, `${perSecond}/s`, ...countsOf(current)])
  }
  const timer = setInterval(tell, everyMs)
  return {
    turn: (open) => {
      all.add(open)
      if (open !== current) from = { ms: performance.now(), sent: open.meter.sent() }
      current = open
    },
    end: () => {
      clearInterval(timer)
      for (const open of all) {
        const { column } = open.lane
        say([`${scenario} at ${column}: ${open.meter.sent()} sent`, ...countsOf(open)])
      }
    },
  }
}
