// One count for all calls of a key: whatever the operation, connection, query or headers.

import type { Context, LimitKey } from '../../engine/context.ts'
import { type Check, check, type Needs } from '../../engine/declare.ts'
import { type Answered, type ApiRequest, statusOf } from '../../engine/exchange.ts'
import { told, violate } from '../../engine/expect.ts'
import { Suspicion, Untested } from '../../engine/outcome.ts'
import { createPet, getPet, listPets, listPetsWith } from '../requests.ts'
import { type Counted, judgeCount, judgeWeights } from './count-judgements.ts'
import { hindsight } from './quota.ts'
import { minuteSaid, waitForResetMs } from './reading.ts'
import { cheapest, short } from './round.ts'

/**
 * Calls at once share an entry: all of one entry go on connections of their own. What follows from
 * the answers before it is told when it is its turn.
 */
type Row = readonly (ApiRequest | readonly ApiRequest[] | (() => ApiRequest))[]

/** A row across the end of a window tells little, nor one into which earlier calls come back. */
const rowsMost = 3
/** By then a Reset tells whether it is that of a window, or of the newest call in a log. */
const apartMs = 3_500

/** Asks one request, behind the next reset if too few are left for a row. */
const begin = async (context: Context, key: LimitKey, length: number): Promise<Answered> => {
  const ask = () => context.call({ ...short, key: key.label })
  const first = await ask()
  const said = minuteSaid(first, key.quota)
  if (!said || said.remaining >= length) return first
  await context.limits.pass(waitForResetMs(said))
  return ask()
}

const send = async (context: Context, key: LimitKey, row: Row): Promise<Answered[]> => {
  const answers: Answered[] = []
  const withKey = (request: ApiRequest) => ({ ...request, key: key.label })
  for (const entry of row) {
    if (typeof entry === 'function') answers.push(await context.call(withKey(entry())))
    else if ('method' in entry) answers.push(await context.call(withKey(entry)))
    else answers.push(...(await context.together(entry.map(withKey))))
  }
  return answers
}

/** What was not answered as a sound request is counted who knows how. */
const unlessSound = (answers: readonly Answered[]): void => {
  const other = answers.find((one) => ![200, 201].includes(statusOf(one)))
  if (other) throw new Untested('blocked', `a sound request got ${told(other)}`)
}

const decide = (found: Counted, row: readonly Answered[]): void => {
  if (found.kind === 'breach') violate(found.expected, found.actual, ...row)
  if (found.kind === 'unclear') throw new Suspicion(found.why, row)
}

type Judge = (row: readonly Answered[], earlier: readonly Answered[], key: LimitKey) => Counted

const asOne: Judge = (row, earlier, { quota }) => judgeCount(row, earlier, quota)

const operationIn = ({ asked }: Answered): string =>
  asked.method === 'POST' ? 'creation' : asked.path.startsWith('/pets?') ? 'list' : 'fetch'

/** As one, and each call by one. */
const evenly: Judge = (row, earlier, key) => {
  const found = judgeCount(row, earlier, key.quota)
  return found.kind === 'holds' ? judgeWeights(row, operationIn) : found
}

const unsure: Counted = { kind: 'unclear', why: 'it was counted so but once' }

/** Another client may have called between just these: it does not do so twice. */
const withEarlier = (found: Counted, breaches: number, shared: boolean): Counted => {
  const isBreach = found.kind === 'breach'
  const isOnce = isBreach ? breaches === 0 || shared : found.kind === 'holds' && breaches > 0
  return isOnce ? unsure : found
}

const expectOneCount = async (
  context: Context,
  rowOf: () => Row,
  judge: Judge = asOne,
): Promise<void> => {
  const key = cheapest(context.limits)
  await context.control('list')
  let breaches = 0
  for (let rows = 1; ; rows += 1) {
    const earlier = context.limits.heard(key.label)
    const entries = rowOf()
    const first = await begin(context, key, entries.flat().length)
    const row = [first, ...(await send(context, key, entries))]
    unlessSound(row)
    const found = judge(row, earlier, key)
    const known = withEarlier(found, breaches, context.limits.shared)
    const isOver = found.kind === 'holds' || known.kind === 'breach' || rows >= rowsMost
    if (isOver) return decide(known, row)
    if (found.kind === 'breach') breaches += 1
    await context.limits.pass(apartMs)
  }
}

const failsToCount =
  'Remaining falls by fewer than the calls of the row, beyond what any design gives back ' +
  'meanwhile; in two rows.'
const inconclusiveCount =
  'a window ended in between in three rows, or others use the key (shared: true)'

const rowNeeds = (length: number): Needs => ({ ...hindsight, keyed: length + 1 })

/** The animal that was fetched, or one that the key was shown: keys need not share theirs. */
const idFor = ({ herd }: Context, { label }: LimitKey, fetched: string): string => {
  const isKnown = (id: bigint) => herd.fetches.isKnown(label, id)
  if (isKnown(BigInt(fetched))) return fetched
  return `${herd.creations.findLast(({ id }) => isKnown(id))?.id ?? fetched}`
}

const operations = check({
  id: 'count-across-operations',
  requirement: 'limits.one-count',
  needs: { ...rowNeeds(6), allow: ['exhaust', 'write'], getPet: true },
  sends: 'With one key, in a row: creations, GETs and lists in turn, six of them.',
  fails:
    'Remaining falls by fewer than the calls, or by more than one with each call of one ' +
    'operation and by one with all others; in two rows.',
  inconclusive: inconclusiveCount,
  run: async (context) => {
    await context.control('create')
    const { asked: fetching } = await context.control('get')
    const creation = () => createPet(context.newPet())
    const fetched = fetching.path.replace('/pets/', '')
    const fetch = () => getPet(idFor(context, cheapest(context.limits), fetched))
    const row = () => [creation(), fetch, creation(), short, creation(), fetch]
    await expectOneCount(context, row, evenly)
  },
})

const same = (count: number): ApiRequest[] => Array<ApiRequest>(count).fill(short)

const connections = check({
  id: 'count-across-connections',
  requirement: 'limits.one-count',
  needs: rowNeeds(7),
  sends:
    'With one key, in a row: six lists at once, each on a connection of its own, and one more.',
  fails: failsToCount,
  inconclusive: inconclusiveCount,
  run: (context) => expectOneCount(context, () => [same(6), short]),
})

const queries: readonly ApiRequest[] = [
  listPets({ limit: 100 }),
  listPets({ status: 'sold' }),
  listPets({ limit: 100 }),
  listPets({ limit: 3, status: 'pending' }),
  listPetsWith('status=available&limit=1'),
]

const lengthIn = ({ asked }: Answered): string =>
  asked.path.includes('limit=100') ? 'list of 100' : 'shorter list'

/** As one, and a long list as one call. */
const whateverLength: Judge = (row, earlier, key) => {
  const found = judgeCount(row, earlier, key.quota)
  const weights = found.kind === 'holds' ? judgeWeights(row, lengthIn) : found
  return weights.kind === 'breach' ? weights : found
}

const byQuery = check({
  id: 'count-across-queries',
  requirement: 'limits.one-count',
  needs: rowNeeds(5),
  sends: 'With one key, in a row: five lists with different queries.',
  fails: failsToCount,
  inconclusive: inconclusiveCount,
  run: (context) => expectOneCount(context, () => queries, whateverLength),
})

const withScheme = (scheme: string): ApiRequest => ({ ...short, scheme })

const schemes = check({
  id: 'count-whatever-scheme-case',
  requirement: 'limits.one-count',
  needs: rowNeeds(5),
  sends: 'With one key, in a row: five lists with the scheme in several letter cases.',
  fails: failsToCount,
  inconclusive: inconclusiveCount,
  run: (context) =>
    expectOneCount(context, () =>
      ['bearer', 'BEARER', 'bEARER', 'bearer', 'Bearer'].map(withScheme),
    ),
})

/** Addresses for documentation (RFC 5737): nobody's. */
const forwardedFor = (last: number): ApiRequest => ({
  ...short,
  headers: [['X-Forwarded-For', `198.51.100.${last}`]],
})

const addresses = check({
  id: 'count-whatever-forwarded-for',
  requirement: 'limits.one-count',
  needs: rowNeeds(5),
  sends: 'With one key, in a row: five lists with another `X-Forwarded-For` each.',
  fails: failsToCount,
  inconclusive: inconclusiveCount,
  run: (context) => expectOneCount(context, () => [1, 2, 3, 4, 5].map(forwardedFor)),
})

export const counting: readonly Check[] = [operations, connections, byQuery, schemes, addresses]
