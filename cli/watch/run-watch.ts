// The work of `petvet check --watch`: rounds, each when the server came back or a key was pressed.
import { createCarried } from '../../suites/kit/quota/carried.ts'
import type { CheckFlags } from '../check-settings.ts'
import { interruptedCode, onInterrupt } from '../interrupt.ts'
import { keysLine, listenToKeys, type Press } from './keyboard.ts'
import { holdRounds } from './loop.ts'
import { probePort, watchPort } from './port.ts'
import { createRunRound } from './round.ts'
import { openRoundFolders, roundsKept } from './round-folders.ts'
import { readWatchSettings, type WatchSettings } from './settings.ts'
import { createWishes, type Wishes } from './wishes.ts'

/**
 * How often the port is asked: a server on this machine may be back in no time. One that speaks TLS
 * may write a line of its log for each handshake that is not begun.
 */
const everyMs = { often: 100, seldom: 1_000 }

/** A server may listen before it answers. */
const betweenTriesMs = 1_000

type Say = (line: string) => void

const aloud: Say = (line) => {
  process.stderr.write(`petvet: ${line}\n`)
}

const actOf =
  (wishes: Wishes, say: Say) =>
  (press: Press): void => {
    switch (press) {
      case 'interrupt':
        // A terminal whose keys are taken one by one sends no signal.
        process.emit('SIGINT')
        return
      case 'help':
        say(keysLine)
        return
      case 'quit':
        wishes.put({ kind: 'quit' })
        return
      case 'again':
        wishes.put({ kind: 'round', scope: 'failed first', why: 'Enter' })
        return
      case 'all':
        wishes.put({ kind: 'round', scope: 'all', why: 'a' })
        return
      case 'failed':
        wishes.put({ kind: 'round', scope: 'failed', why: 'f' })
    }
  }

/** Turns what the port says into wishes; without a port the first round begins at once. */
const watchServer = (settings: WatchSettings, wishes: Wishes, back: () => void) => {
  const { place, isLocal, target } = settings
  if (place === null) {
    wishes.put({ kind: 'round', scope: 'failed first', why: 'the first one' })
    return null
  }
  let wasAway = false
  const turned = (state: 'open' | 'closed') => {
    if (state === 'closed') {
      wasAway = true
      wishes.put({ kind: 'away' })
      return
    }
    if (wasAway) back()
    const why = wasAway ? 'the server came back' : 'the first one'
    wishes.put({ kind: 'round', scope: 'failed first', why })
  }
  const isOften = isLocal && target.baseUrl.startsWith('http:')
  return watchPort(() => probePort(place), isOften ? everyMs.often : everyMs.seldom, turned)
}

export const runWatch = async (flags: CheckFlags): Promise<number> => {
  const hasKeyboard = process.stdin.isTTY === true
  const settings = readWatchSettings(flags, hasKeyboard)
  const { check, isLocal } = settings
  const say = check.quiet ? () => {} : aloud
  const folders = openRoundFolders(check.folder)
  const carried = createCarried()
  const wishes = createWishes()
  const interrupt = onInterrupt()
  interrupt.signal.addEventListener('abort', () => wishes.put({ kind: 'quit' }), { once: true })
  const letGo = hasKeyboard ? listenToKeys(process.stdin, actOf(wishes, say)) : () => {}
  // A server on this machine begins its count anew; one elsewhere keeps it where we do not see.
  const port = watchServer(settings, wishes, isLocal ? carried.forget : () => {})
  say(`rounds go to ${check.folder}/1, 2, ...; the last ${roundsKept} are kept`)
  if (settings.sparesDate) {
    say('what moves the clock to the removal date is asked with a only: it cannot be moved back')
  }
  const runRound = createRunRound(settings, carried)
  try {
    const code = await holdRounds({
      ...{ settings: check, folders, wishes, runRound, say, signal: interrupt.signal },
      betweenTriesMs,
      isAway: () => port?.state() === 'closed',
      hint: hasKeyboard ? keysLine : 'a round begins when the server comes back; Ctrl-C ends',
    })
    return interrupt.signal.aborted ? interruptedCode : code
  } finally {
    port?.close()
    letGo()
    interrupt.release()
  }
}
