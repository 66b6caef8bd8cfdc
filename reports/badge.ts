// A badge, as the endpoint of shields.io reads it: the verdict, and musts violated or tested.
import type { RunFile } from '../engine/check/run-file.ts'
import { hasNewFailure } from './known-failures.ts'
import { countViolatedMusts, type Source, verdictInWords } from './summary.ts'

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
  const verdict = verdictInWords(run)
  const violated = countViolatedMusts(run)
  if (run.interrupted) return ['interrupted', 'lightgrey']
  switch (run.verdict) {
    case 'conformant':
      return [`${verdict} · ${musts}`, 'brightgreen']
    case 'not-conformant':
      if (!hasNewFailure(run, known)) return [`known failures only · ${musts}`, 'orange']
      // It can be not conformant for a stale known failure alone.
      return [violated === 0 ? verdict : `${verdict} · ${violated} of ${all} musts violated`, 'red']
    case 'undecided':
      return [`${verdict} · ${musts}`, 'yellow']
    case 'error':
      return [verdict, 'lightgrey']
  }
}
