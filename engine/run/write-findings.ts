// Findings as a run file has them: without keys, and with the exchanges that only they show.

import { write } from '../../history/quote.ts'
import { noJson } from '../../history/value-kinds.ts'
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

/** Further findings of one check that are headlines of their own. */
const maxFurther = 8

/** Each request that breaks the server may do so in its own way; a page is not the service's. */
const isOwn = ({ aspect, status, kind }: Finding): boolean =>
  (aspect === 'status' && (status ?? 0) >= 500) ||
  (aspect === 'body' && kind === noJson) ||
  (aspect === 'header' && kind === 'missing')

/** @param session its trace has the exchanges of the findings */
export const writeFindings = (
  findings: readonly Finding[],
  session: Pick<Session, 'redactor' | 'evidenceOf' | 'trace'>,
): readonly Finding[] => {
  const further = findings.slice(1).filter(isOwn).slice(0, maxFurther)
  return findings.map((each) => {
    const [seq] = further.includes(each) ? each.exchanges : []
    const shown = session.trace.find((one) => one.seq === seq)
    const finding = written(each, session.redactor)
    return shown ? { ...finding, evidence: session.evidenceOf(shown) } : finding
  })
}
