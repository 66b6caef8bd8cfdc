// A worker of the pool: judges the subjects that it is sent, by their ids.
import { parentPort, workerData } from 'node:worker_threads'
import { permissions } from '../engine/check/context.ts'
import type { RunFile } from '../engine/check/run-file.ts'
import { isViolation } from '../history/outcome.ts'
import { catalogue } from '../suites/index.ts'
import { type Condition, runAt } from './conditions.ts'
import type { KillLine } from './kill-table.ts'
import {
  complaintOf,
  findSubject,
  isServer,
  type Judged,
  listAlarms,
  listIds,
  makeTarget,
  type Project,
  type Proof,
  runOverSockets,
  type Server,
  type Subject,
} from './subjects.ts'

/**
 * What a worker does: prove each subject, as `petvet mutants` does, over sockets by its own checks
 * or in virtual time; run all checks, with so many seeds at legal variants; or run a first minute.
 */
export type Order =
  | { readonly kind: 'proof'; readonly seed: number; readonly overSockets: boolean }
  | { readonly kind: 'net'; readonly seed: number; readonly seeds: number }
  | { readonly kind: 'first minute'; readonly seed: number; readonly isLeftOut: boolean }

/** What the net finds at one subject. */
export interface NetResult extends Pick<Subject, 'id' | 'kind'> {
  /** Of a mutant. */
  readonly line?: KillLine
  /** The first headline of a mutant under each condition. */
  readonly headlines?: Readonly<Record<Condition, string>>
  /** Whether a first minute finds the mutant. */
  readonly isFound?: boolean
  /** What is wrong, a line each. */
  readonly complaints: readonly string[]
}

const order: Order = workerData

/** A published description has to be fetched, and some faults show over sockets alone. */
const needsSockets = ({ variant }: Server): boolean =>
  variant.description !== undefined || variant.overSockets === true

/** A day takes more calls than all else, and shows no fault of the contract. */
const withoutDay = permissions.filter((each) => each !== 'day')

const runFully = (server: Server, seed: number): Promise<RunFile> => {
  if (needsSockets(server)) return runOverSockets(server, seed)
  const isOfContract = server.kind === 'mutant' && server.suite === 'contract'
  return runAt(makeTarget(server), 'full', seed, isOfContract ? { allow: withoutDay } : {})
}

/** Null where virtual time shows nothing of its fault. */
const runWithOneKey = async (
  server: Server,
  seed: number,
  noWait = false,
  checks = catalogue,
): Promise<{ readonly run: RunFile; readonly senders: ReadonlyMap<number, string> } | null> => {
  if (needsSockets(server)) return null
  const senders = new Map<number, string>()
  const onExchange = (line: string) => {
    const { seq, check } = JSON.parse(line)
    senders.set(seq, check)
  }
  const target = makeTarget(server)
  // A first minute may end with a refusal, which takes no wait.
  const own = noWait && { noWait, allow: ['write', 'exhaust', 'expose'] as const }
  return { run: await runAt(target, 'oneKey', seed, { onExchange, ...own }, checks), senders }
}

const findersIn = (run: RunFile): readonly string[] => listIds(run, 'fail', 'warn').sort()

/** The checks that sent what shows any failure. */
const sendersIn = ({ checks }: RunFile, senders: ReadonlyMap<number, string>): Set<string> =>
  new Set(
    checks
      .filter(({ outcome }) => isViolation(outcome))
      .flatMap(({ findings = [] }) => findings.flatMap(({ exchanges }) => exchanges))
      .map((seq) => senders.get(seq) ?? ''),
  )

const headlineOf = (run: RunFile): string => run.causes?.[0]?.observed ?? 'none'

const judgeMutant = async (server: Server): Promise<NetResult> => {
  const { id, kind, caughtBy } = server
  const run = await runFully(server, order.seed)
  const one = await runWithOneKey(server, order.seed)
  const oneKey = one ? findersIn(one.run) : []
  const shownBy = one ? [...sendersIn(one.run, one.senders)] : []
  return {
    ...{ id, kind },
    line: {
      ...{ id, caughtBy: caughtBy ?? '', full: findersIn(run), oneKey },
      shownBy: shownBy.filter((sender) => !oneKey.includes(sender)).sort(),
    },
    headlines: { full: headlineOf(run), oneKey: one ? headlineOf(one.run) : 'none' },
    complaints: [complaintOf(server, run) ?? []].flat(),
  }
}

/** Constant servers take no seed. */
const judgeOther = async (server: Server): Promise<NetResult> => {
  const { id, kind } = server
  const complaints: string[] = []
  const count = kind === 'legal' && order.kind === 'net' ? order.seeds : 1
  for (const seed of Array.from({ length: count }, (_, at) => order.seed + at)) {
    const complaint = complaintOf(server, await runFully(server, seed))
    if (complaint !== null) complaints.push(`seed ${seed}, all keys and a clock: ${complaint}`)
    const one = await runWithOneKey(server, seed)
    if (one === null) continue
    // What cannot run with one key is no fault there.
    const isConstant = kind === 'constant'
    const wrong = isConstant ? listIds(one.run, 'pass', 'error') : listAlarms(server, one.run)
    if (wrong.length > 0) complaints.push(`seed ${seed}, one Free key: ${wrong.join(', ')}`)
  }
  return { id, kind, complaints }
}

/** A published project, over sockets; that takes optional packages. */
const judgeOver = async ({ project }: Project) =>
  (await import('./judge-project.ts')).judgeProject(project)

const judgeProjectOnce = async (subject: Project): Promise<NetResult> => {
  const { id, kind, caughtBy } = subject
  const { killedBy, complaint } = await judgeOver(subject)
  const line = { id, caughtBy: caughtBy ?? '', full: killedBy, oneKey: [], shownBy: [] }
  return {
    ...{ id, kind, complaints: complaint === null ? [] : [complaint] },
    ...(kind === 'mutant' && { line }),
  }
}

/** One Free key, no clock, no wait; without the row or program that was made for it, if need be. */
const judgeFirstMinute = async (server: Server, isLeftOut: boolean): Promise<NetResult> => {
  const { id, kind, caughtBy } = server
  const checks = catalogue.filter(
    (check) => !isLeftOut || check.kind === 'clause' || check.id !== caughtBy,
  )
  const one = await runWithOneKey(server, order.seed, true, checks)
  return { id, kind, isFound: one !== null && findersIn(one.run).length > 0, complaints: [] }
}

const judgeServer = async (server: Server, isOver: boolean): Promise<Judged> => {
  const run = await (isOver ? runOverSockets : runFully)(server, order.seed)
  const killedBy = listIds(run, 'fail', 'warn')
  return { killedBy, requests: run.requests, complaint: complaintOf(server, run) }
}

const prove = async (subject: Server | Project, isOver: boolean): Promise<Proof> => {
  const { id, kind, says, caughtBy } = subject
  const judged = await (isServer(subject) ? judgeServer(subject, isOver) : judgeOver(subject))
  return { id, kind, seed: order.seed, says, caughtBy, ...judged }
}

const judge = (subject: Server | Project): Promise<NetResult> => {
  if (!isServer(subject)) return judgeProjectOnce(subject)
  if (order.kind === 'first minute') return judgeFirstMinute(subject, order.isLeftOut)
  return subject.kind === 'mutant' ? judgeMutant(subject) : judgeOther(subject)
}

const judgeOrThrown = (subject: Server | Project): Promise<NetResult> => {
  const { id, kind } = subject
  return judge(subject).catch((error) => ({ id, kind, complaints: [`the run threw ${error}`] }))
}

parentPort?.on('message', async (id: string) => {
  const subject = findSubject(id)
  const isProof = order.kind === 'proof'
  const done = isProof ? prove(subject, order.overSockets) : judgeOrThrown(subject)
  parentPort?.postMessage(await done)
})
