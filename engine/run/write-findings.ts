// Findings as a run file has them: without keys, and with the exchanges that only they show.

import { write } from '../../history/quote.ts'
import type { Finding } from '../check/run-file.ts'
import type { Redactor } from '../http/redact.ts'
import type { Session } from './session.ts'

const writtenFinding = (finding: Finding, redactor: Redactor): Finding => {
  const { operations, conditions, target, where, after, kind, value, expected, actual } = finding
  const written = (text: string) => write(text, redactor)
  return {
    ...finding,
    operations: operations.map(written),
    conditions: conditions.map((each) => ({ ...each, words: written(each.words) })),
    ...(target !== undefined && { target: written(target) }),
    ...(where !== undefined && { where: written(where) }),
    ...(after !== undefined && { after: written(after) }),
    ...(kind !== undefined && { kind: written(kind) }),
    ...(value !== undefined && { value: written(value) }),
    expected: written(expected),
    actual: written(actual),
  }
}

/** Further requests of one check that break the server, each of which may do so in its own way. */
const maxBreaks = 8

const isBroken = ({ aspect, status }: Finding): boolean =>
  aspect === 'status' && (status ?? 0) >= 500

/** @param session its trace has the exchanges of the findings */
export const writeFindings = (
  findings: readonly Finding[],
  session: Pick<Session, 'redactor' | 'evidenceOf' | 'trace'>,
): readonly Finding[] => {
  const further = findings.slice(1).filter(isBroken).slice(0, maxBreaks)
  return findings.map((each) => {
    const [seq] = further.includes(each) ? each.exchanges : []
    const shown = session.trace.find((one) => one.seq === seq)
    const written = writtenFinding(each, session.redactor)
    return shown ? { ...written, evidence: session.evidenceOf(shown) } : written
  })
}
