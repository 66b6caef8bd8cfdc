// Puts the exchanges of a run where its journal says that they were asked.
import type { RecordedExchange } from '../record.ts'
import { DamagedJournal } from './damaged-journal.ts'
import type { Segment, Told } from './past.ts'

interface Written {
  readonly segments: readonly Segment[]
  /** By number, in the order in which they came. */
  readonly answers: ReadonlyMap<number, Told<'answered'>>
  /** Answers behind which a sitting ended: their exchanges may not have been written any more. */
  readonly latest: ReadonlySet<number>
}

/** Tells of each exchange whether it comes next, but for those that no sitting wrote any more. */
const createOrder = ({ answers, latest }: Written) => {
  const left = [...answers.keys()].values()
  /** @param seq undefined: none comes any more */
  return (seq: number | undefined): void => {
    for (const next of left) {
      if (next === seq) return
      if (!latest.has(next)) {
        throw new DamagedJournal(`exchange ${next} is missing, or not in its place`)
      }
    }
  }
}

/** Puts each exchange where it was asked; what has none was under way, or never sent. */
export const placeExchanges = (written: Written, exchanges: Iterable<RecordedExchange>): void => {
  const { segments, answers } = written
  const expectNext = createOrder(written)
  const places = new Map(segments.flatMap((each) => each.lost.map(({ seq }) => [seq, each])))
  const done = new Set<number>()
  for (const exchange of exchanges) {
    const segment = places.get(exchange.seq)
    const answered = answers.get(exchange.seq)
    const sending = segment?.lost.find(({ seq }) => seq === exchange.seq)
    if (!segment || !answered || !sending || done.has(exchange.seq)) {
      throw new DamagedJournal(`exchange ${exchange.seq} is not in it, or more than once`)
    }
    expectNext(exchange.seq)
    done.add(exchange.seq)
    segment.exchanges.push({ ...exchange, sending, answered })
  }
  expectNext(undefined)
  for (const { lost } of segments) {
    const left = lost.filter(({ seq }) => !done.has(seq))
    lost.splice(0, lost.length, ...left)
  }
}
