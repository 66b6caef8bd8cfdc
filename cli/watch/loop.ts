// The rounds of a watch, one after the other, and what is told between them.
import { setTimeout as sleep } from 'node:timers/promises'
import { judgeKnown } from '../../reports/known.ts'
import type { RunFile } from '../../suites/kit/run-file.ts'
import type { OutputSettings } from '../output-settings.ts'
import { tellRun } from '../tell-run.ts'
import { existsIn } from '../tell-terminal.ts'
import type { RunRound } from './round.ts'
import type { RoundFolders } from './round-folders.ts'
import { createStanding, type Standing } from './standing.ts'
import { tellTurn } from './tell-turn.ts'
import type { Scope, Wish, Wishes } from './wishes.ts'

export interface Watch {
  readonly settings: OutputSettings
  readonly folders: RoundFolders
  readonly wishes: Wishes
  readonly runRound: RunRound
  readonly isAway: () => boolean
  /** Ends all of it. */
  readonly signal: AbortSignal
  /** A line on standard error. */
  readonly say: (line: string) => void
  /** How long a server that listens is left to get ready. */
  readonly betweenTriesMs: number
  /** What can be done between rounds. */
  readonly hint: string
}

/** Nothing was held yet: the same as a target that could not be reached. */
const codeOfNone = 3
/** A server may listen before it answers. */
const triesMost = 5

interface Round {
  readonly number: number
  readonly folder: string
  /** A server that ends itself does so at this check. */
  readonly askedLast: string
  readonly scope: Scope
}

type RoundWish = Extract<Wish, { kind: 'round' }>

const scopes = {
  'failed first': 'what failed goes first',
  all: 'everything',
  failed: 'only what failed',
} as const

/** Whether the target gave no answer at all, not even to the first request. */
const isNotReady = (run: RunFile): boolean => run.impossible !== null && run.requests <= 1

/** What the rounds so far came to. */
interface Course {
  readonly standing: Standing
  lastWhole: number
  /** The round that was left off, where none was held to its end since. */
  leftOff: number | null
  code: number
}

/** Runs a round, once more where the server listens and does not answer yet. */
const hold = async (
  watch: Watch,
  course: Course,
  wish: RoundWish,
  tries: number,
): Promise<void> => {
  const { standing } = course
  const { number, folder } = watch.folders.next()
  if (tries === 1) {
    const what = standing.failing().length > 0 ? `, ${scopes[wish.scope]}` : ''
    watch.say(`round ${number} (${wish.why})${what}`)
  }
  const cut = new AbortController()
  watch.wishes.atNext(() => cut.abort())
  const signal = AbortSignal.any([watch.signal, cut.signal])
  const task = { folder, scope: wish.scope, first: standing.toAskFirst(), signal }
  let askedLast = ''
  const run = await watch.runRound(task, (event) => {
    // What is left of a round that was cut is passed by, and not asked.
    if (event.kind === 'check' && !signal.aborted) askedLast = event.id
  })
  if (!isNotReady(run) || signal.aborted || tries > triesMost) {
    tell(watch, course, run, { number, folder, askedLast, scope: wish.scope })
    return
  }
  watch.say(`${run.impossible}; asking again`)
  watch.folders.drop()
  await sleep(watch.betweenTriesMs, undefined, { signal }).catch(() => {})
  if (!signal.aborted) await hold(watch, course, wish, tries + 1)
}

const tell = (watch: Watch, course: Course, run: RunFile, round: Round): void => {
  const { settings } = watch
  const { number, folder, askedLast, scope } = round
  const turn = course.standing.take(run, judgeKnown(run, settings.known, existsIn(run)), scope)
  const isCut = run.interrupted && !watch.signal.aborted
  if (isCut && !watch.wishes.isEnding()) {
    watch.say(`round ${number} was left off at ${askedLast || 'its beginning'}: ${folder}`)
    course.leftOff = number
    return
  }
  course.code = tellRun(run, { ...settings, folder })
  const before = course.lastWhole
  if (run.impossible !== null || run.interrupted) return
  course.lastWhole = number
  if (scope !== 'failed') course.leftOff = null
  if (turn !== null && before > 0 && !settings.quiet) {
    process.stdout.write(`\n${tellTurn(turn, before)}`)
  }
}

const nothingToAsk = ({ leftOff, lastWhole }: Course): string => {
  if (leftOff !== null) {
    return `round ${leftOff} was left off, so what fails is not known yet; Enter: again`
  }
  return lastWhole > 0 ? 'nothing fails' : 'no round was held yet, so what fails is not known'
}

/** @returns the exit code of the last round that was held to its end, or that was ended by hand */
export const holdRounds = async (watch: Watch): Promise<number> => {
  const { wishes, say } = watch
  const course: Course = {
    ...{ standing: createStanding(), lastWhole: 0, leftOff: null, code: codeOfNone },
  }
  for (;;) {
    const wish = await wishes.next()
    if (wish.kind === 'quit') return course.code
    if (wish.kind === 'away' || watch.isAway()) {
      say('nothing listens there; waiting for the server to come back')
      continue
    }
    const isIdle = wish.scope === 'failed' && course.standing.failing().length === 0
    if (isIdle) say(nothingToAsk(course))
    else await hold(watch, course, wish, 1)
    if (wishes.isIdle()) say(watch.hint)
  }
}
