// A badge, as the endpoint of shields.io reads it: violated musts, or the verdict and those tested.
import type { RunFile } from '../engine/check/run-file.ts'
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
  const [tested, all] = run.decided.must
  const musts = `${tested} of ${all} musts tested`
  const violated = countViolatedMusts(run)
  if (run.interrupted) return ['interrupted', 'lightgrey']
  switch (run.verdict) {
    case 'conformant':
      return [`conformant · ${musts}`, 'brightgreen']
    case 'not-conformant':
      if (!hasNewFailure(run, known)) return [`known failures only · ${musts}`, 'orange']
      // It can be not conformant for a stale known failure alone.
      return [violated === 0 ? 'not conformant' : `${violated} of ${all} musts violated`, 'red']
    case 'undecided':
      return [`undecided · ${musts}`, 'yellow']
    case 'error':
      return ['could not run', 'lightgrey']
  }
}
