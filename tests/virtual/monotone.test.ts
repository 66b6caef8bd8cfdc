// In virtual time: what is violated by what was known when a response came is violated by all that
// is known at the end. So no line that a run prints while it goes on is taken back.
import { expect, test } from 'vitest'
import type { Context } from '../../engine/check/context.ts'
import type { History } from '../../history/history.ts'
import { RunHistory } from '../../history/history.ts'
import { Judge } from '../../model/judge.ts'
import { runAt } from '../../proof/conditions.ts'
import { isServer, makeTarget, subjects } from '../../proof/subjects.ts'
import { catalogue } from '../../suites/index.ts'
import { check } from '../plain-checks.ts'
import { isProof, sample } from '../sample.ts'

const allClauses = catalogue.filter((one) => one.kind === 'clause')

/** With one key a run sends a tenth, and is judged as often; its limits are exhausted as well. */
const [condition, around] = isProof
  ? (['full', {}] as const)
  : (['oneKey', { allow: ['write', 'exhaust', 'ban', 'expose'] }] as const)

/** All that a run has sent and received. */
const historyOf = async (server: Parameters<typeof makeTarget>[0]): Promise<History> => {
  let history: History | undefined
  const look = check(
    'look',
    'service.operations',
    { stage: 'probes' },
    async (context: Context) => {
      history = context.history
    },
  )
  await runAt(makeTarget(server), condition, 7, around, [look, ...catalogue])
  if (!history) throw new Error('the run sent nothing')
  return history
}

const violationsOf = (judge: Judge): readonly string[] =>
  allClauses.flatMap((clause) =>
    [...judge.of(clause).violations.keys()].map(({ seq }) => `${clause.id} ${seq}`),
  )

/** What is violated when each response has just come, and by the history as it is in the end. */
const judgeBoth = (whole: History) => {
  const history = new RunHistory(whole)
  const live = new Judge(history, allClauses)
  history.lost.push(...whole.lost)
  // As they were sent and received: what was in flight together is judged together.
  const events = whole.exchanges.flatMap((one) => [
    { ms: one.sentMs, order: 1, happen: () => history.begin(one) },
    { ms: one.receivedMs, order: 0, happen: () => history.complete(one) },
  ])
  for (const { happen } of events.toSorted((a, b) => a.ms - b.ms || a.order - b.order)) {
    happen()
    live.judge()
  }
  const atEnd = new Judge({ ...whole, inFlight: undefined }, allClauses)
  atEnd.settle()
  return { live: violationsOf(live), atEnd: violationsOf(atEnd) }
}

/** A constant server ends the run before anything but its smoke call is sent. */
const servers = subjects
  .filter(isServer)
  .filter(({ kind, variant }) => kind !== 'constant' && !variant.description)
const some = sample(servers, 200)

test.for(some.map((server) => [server.id, server] as const))(
  'what is violated stays violated at %s',
  { timeout: 300_000 },
  async ([, server]) => {
    const { live, atEnd } = judgeBoth(await historyOf(server))
    expect(live.filter((each) => !atEnd.includes(each))).toEqual([])
  },
)
