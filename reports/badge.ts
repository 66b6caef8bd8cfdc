// A badge, as the endpoint of shields.io reads it: the verdict, and how much of it was decided.
import type { RunFile } from '../engine/run-file.ts'
import { hasNewFailure } from './known.ts'
import type { Source } from './source.ts'

export const badge = (source: Source): string => {
  const { run } = source
  const [message, color] = wordsOf(source)
  const shown = {
    schemaVersion: 1,
    label: `animal store ${run.interface}`,
    message,
    color,
    // A reader must not take a run that says nothing for one that says something.
    ...(!isDecided(run) && { isError: true }),
  }
  return `${JSON.stringify(shown, null, 2)}\n`
}

const isDecided = ({ verdict, interrupted }: RunFile): boolean =>
  !interrupted && (verdict === 'conformant' || verdict === 'not-conformant')

const wordsOf = ({ run, known }: Source): readonly [message: string, color: string] => {
  const [decided, visible] = run.decided.must
  const musts = `${decided}/${visible} musts`
  if (run.interrupted) return ['interrupted', 'lightgrey']
  switch (run.verdict) {
    case 'conformant':
      return [`conformant · ${musts}`, 'brightgreen']
    case 'not-conformant':
      return hasNewFailure(run, known)
        ? [`not conformant · ${musts}`, 'red']
        : [`known failures only · ${musts}`, 'orange']
    case 'undecided':
      return [`undecided · ${musts}`, 'yellow']
    case 'error':
      return ['could not run', 'lightgrey']
  }
}
