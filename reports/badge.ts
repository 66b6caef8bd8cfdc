// A badge, as the endpoint of shields.io reads it: violated musts, or the verdict and those tested.
import type { RunFile } from '../engine/run-file.ts'
import { hasNewFailure } from './known.ts'
import { countViolatedMusts, type Source } from './summary.ts'

export const badge = (source: Source): string => {
  const { run } = source
  const [message, color] = messageOf(source)
  const shown = {
    schemaVersion: 1,
    label: `animal store ${run.interface}`,
    message,
    color,
    // Shown in another style: such a run is no statement about the server.
    ...(!hasVerdict(run) && { isError: true }),
  }
  return `${JSON.stringify(shown, null, 2)}\n`
}

const hasVerdict = ({ verdict, interrupted }: RunFile): boolean =>
  !interrupted && (verdict === 'conformant' || verdict === 'not-conformant')

const messageOf = ({ run, known }: Source): readonly [message: string, color: string] => {
  const musts = `${run.decided.must.join(' of ')} musts tested`
  if (run.interrupted) return ['interrupted', 'lightgrey']
  switch (run.verdict) {
    case 'conformant':
      return [`conformant · ${musts}`, 'brightgreen']
    case 'not-conformant':
      return hasNewFailure(run, known)
        ? [violatedMusts(run), 'red']
        : [`known failures only · ${musts}`, 'orange']
    case 'undecided':
      return [`undecided · ${musts}`, 'yellow']
    case 'error':
      return ['could not run', 'lightgrey']
  }
}

/** `29 of 102 musts violated`; a run can be not conformant for a stale known failure alone. */
const violatedMusts = (run: RunFile): string => {
  const violated = countViolatedMusts(run)
  const all = run.decided.must[1]
  return violated === 0 ? 'not conformant' : `${violated} of ${all} musts violated`
}
