// The file of known failures brought up to date: what fails now is there, what passes is gone.
import type { RunFile } from '../engine/run-file.ts'
import { idOf, readKnown } from './known.ts'

/** It excuses nothing: a reason is somebody's. */
export const reasonToFillIn = 'No reason yet: say here why it is known to fail.'

/**
 * Keeps comments, pins, and the reasons of what fails still or was not decided.
 * @param text the file as it is; empty where there is none
 */
export const updateKnown = (text: string, run: RunFile): string => {
  const { failures } = readKnown(text)
  const passing = new Set(
    run.checks
      .filter(({ outcome }) => outcome === 'pass' || outcome === 'observed')
      .map(({ id }) => id),
  )
  const kept = text.split(/\r?\n/).filter((line) => {
    const id = idOf(line)
    return id === undefined || !failures.has(id) || !passing.has(id)
  })
  const added = run.checks.filter(({ id, outcome }) => outcome === 'fail' && !failures.has(id))
  const before = kept.join('\n').trimEnd()
  const lines = [
    before === '' ? '# check id, [until=DATE] [ticket=TEXT], reason' : before,
    ...added.map(({ id }) => `${id}  ${reasonToFillIn}`),
  ]
  return `${lines.join('\n')}\n`
}
