// Findings as a run file has them: without keys, and with the exchanges that only they show.

import { write } from '../../history/quote.ts'
import type { Finding } from '../check/run-file.ts'
import type { Redactor } from '../http/redact.ts'
import type { Session } from './session.ts'

/** With each text in it as it is written. */
const written = <T>(value: T, redactor: Redactor): T => {
  const inner = (each: unknown) => written(each, redactor)
  if (typeof value === 'string') return write(value, redactor) as T
  if (Array.isArray(value)) return value.map(inner) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each)])) as T
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
    const finding = written(each, session.redactor)
    return shown ? { ...finding, evidence: session.evidenceOf(shown) } : finding
  })
}
