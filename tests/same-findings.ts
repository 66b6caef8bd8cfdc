// Whether recorded traffic gives the violations of the run that it was recorded of: by clause,
// part, kind and exchange; and why it leaves one open.
import { vi } from 'vitest'
import { Redactor } from '../engine/http/redact.ts'
import {
  type AnsweredExchange,
  type Exchange,
  isAnswered,
  recognizeOperation,
} from '../history/exchange.ts'
import type { Clause } from '../model/clause.ts'
import { dueOf, isDue } from '../model/due.ts'
import { Judge } from '../model/judge.ts'
import type { Condition } from '../proof/conditions.ts'
import { catalogue } from '../suites/index.ts'
import { makeExchanges } from '../traffic/exchanges.ts'
import { itemsOf } from '../traffic/files.ts'
import type { Recorded } from '../traffic/har.ts'
import { makeHistories } from '../traffic/histories.ts'
import { Keys } from '../traffic/keys.ts'
import { Traffic } from '../traffic/traffic.ts'
import { recordRun } from './har.ts'

const clauses = catalogue.filter((check): check is Clause => check.kind === 'clause')

interface Found {
  readonly clause: Clause
  readonly exchange: AnsweredExchange
  /** What is wrong with it. */
  readonly what: string
}

const violationsIn = (judges: Iterable<Judge>): readonly Found[] =>
  [...judges].flatMap((judge) =>
    clauses.flatMap((clause) =>
      [...judge.of(clause).violations].map(([exchange, { wrong }]) => {
        const { aspect, name = '', kind = '' } = wrong
        return { clause, exchange, what: `${aspect} ${name} ${kind}` }
      }),
    ),
  )

/** A run, and what its judge found. */
const runOf = async (id: string, condition: Condition) => {
  const judges = new Set<Judge>()
  const { settle } = Judge.prototype
  const spy = vi.spyOn(Judge.prototype, 'settle').mockImplementation(function (this: Judge) {
    judges.add(this)
    return settle.call(this)
  })
  const recorded = await recordRun(id, condition).finally(() => spy.mockRestore())
  return { ...recorded, judges: [...judges] }
}

const readBelow = async (items: readonly object[], base: string): Promise<readonly Recorded[]> => {
  const below: Recorded[] = []
  const traffic = new Traffic(itemsOf(items), base)
  for await (const piece of traffic.read(() => {})) below.push(...piece)
  return below
}

const judgeAgain = async (items: readonly object[], base: string) => {
  const below = await readBelow(items, base)
  const keys = new Keys([])
  for (const one of below) keys.add(one)
  keys.name()
  const known = { base, keys, redactor: new Redactor() }
  const [all = []] = makeExchanges(below, known)
  const { histories } = makeHistories(all, true, () => {})
  const judges = histories.map((history) => new Judge(history, clauses))
  for (const judge of judges) judge.settle()
  return { all, histories, judges }
}

/** What the run knew, or found out by what it sent, and a recording does not say. */
const whyOpen = (
  { clause, exchange }: Found,
  own: Exchange | undefined,
  { histories, judges }: Awaited<ReturnType<typeof judgeAgain>>,
): string | undefined => {
  if (!own || !isAnswered(own)) return 'its request was not recorded as it was sent'
  if (exchange.key === null && own.key !== null) return 'a key that is served is valid'
  if (exchange.quota && !own.quota) return 'the plan of the key is not known'
  if (!histories.some((history) => history.exchanges.includes(own))) {
    return 'a 401 or 403 to a key says nothing'
  }
  const isOfCategory =
    clause.id === 'create-category-whole-range-201' ||
    histories.some(
      (history) =>
        history.exchanges.includes(own) && isDue(dueOf(own, history), own.response.status),
    )
  if (recognizeOperation(own) === 'create' && isOfCategory) return 'categories are open'
  if (judges.some((judge) => judge.of(clause).doubts.has(own))) return 'it is in doubt'
  return histories.length > 1 ? 'the store may have been emptied' : undefined
}

/**
 * Which violations of a run its HAR file, and its own record, do not show, and why; and which they
 * show besides, but for what the run left in doubt.
 */
export const compareFindings = async (id: string, condition: Condition) => {
  const { subject, entries, lines, judges } = await runOf(id, condition)
  const base = `http://127.0.0.1${subject.variant.basePath ?? '/v1'}`
  const below = (await readBelow(lines, base)).toSorted(
    (a, b) => a.sentMs - b.sentMs || a.sentMs + a.ms - b.sentMs - b.ms,
  )
  const nameOf = ({ clause, exchange: { seq }, what }: Found) => `${clause.id} at ${seq}: ${what}`
  const live = violationsIn(judges)
  const known = new Set(live.map(nameOf))
  const compare = async (items: readonly object[]) => {
    const again = await judgeAgain(items, base)
    if (again.all.length !== below.length) throw new Error('it is not a recording of the run')
    const seqs = new Map(again.all.map((one, at) => [one.seq, below[at]?.seq ?? 0]))
    const found = violationsIn(again.judges).map(({ clause, exchange, what }) => {
      const seq = seqs.get(exchange.seq) ?? 0
      return { clause, exchange: { ...exchange, seq }, what }
    })
    const shown = new Set(found.map(nameOf))
    const isDoubt = ({ clause, exchange: { seq } }: Found) =>
      judges.some((judge) => [...judge.of(clause).doubts.keys()].some((one) => one.seq === seq))
    const left = live.filter((one) => !shown.has(nameOf(one)))
    const open = left.map((one) => {
      const own = again.all.find(({ seq }) => seqs.get(seq) === one.exchange.seq)
      return [nameOf(one), whyOpen(one, own, again)] as const
    })
    const hasOwn = ({ clause, exchange: { seq } }: Found) =>
      live.some((one) => one.clause === clause && one.exchange.seq === seq)
    const more = found
      .filter((one) => !known.has(nameOf(one)) && !isDoubt(one))
      // Less is known of open categories, and of a store that may have been emptied: what is wrong
      // with an exchange may be put in other words.
      .filter((one) => !hasOwn(one))
      .map(nameOf)
    return { open, more, found: found.length }
  }
  return Promise.all([entries, lines].map(compare))
}
