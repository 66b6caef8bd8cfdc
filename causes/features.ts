// What a finding is about, as data that two findings can be compared by.

import type { CheckResult, Finding } from '../engine/check/run-file.ts'

/** That no pet has the id is no fault of a request. */
export const isUnknownId = ({ kind }: Finding['conditions'][number]): boolean =>
  kind === 'unknown id'

export interface Feature {
  readonly aspect: Finding['aspect']
  /** `-` without a response. */
  readonly status: string
  readonly name: string
  readonly kind: string
  readonly operations: readonly string[]
  /** `name missing`: what of the request may matter. */
  readonly conditions: readonly string[]
  /** What was due instead of the status: `refusal`, a status, or the words of what was expected. */
  readonly due: string
  /** The words of what several responses show together. */
  readonly says: string
}

/** The words of a text without what a server's own data, plans and keys put there. */
const wordsOf = (text: string): string =>
  (
    text
      .replace(/; steps: .*$/s, '')
      .replace(/\{.*\}|\[.*\]/s, ' ')
      .replace(/"[^"]*"/g, ' ')
      .replace(/\b(?:free|pro|business|enterprise)(?:-\d+)?\b/gi, ' ')
      .match(/[A-Za-z][A-Za-z-]*|(?<![\d.-])[2-5]\d\d(?![\d.-])/g) ?? []
  ).join(' ')

const dueOf = (expected: string): string => {
  if (/^(?:status 40[013]|a 4xx|no 2xx|a refusal)/.test(expected)) return 'refusal'
  return /^(?:status )?(\d{3})\b/.exec(expected)?.[1] ?? wordsOf(expected)
}

/** What the interface does not name is one place. */
const placeOf = (operation: string): string =>
  /^(?:GET|POST) \/pets(?:\/\{petId\})?$/.test(operation) ? operation : 'another address'

export const featureOf = (finding: Finding): Feature => {
  const { aspect, name = '', kind = '', status, after, expected, actual } = finding
  const isBroken = status === null || status >= 500
  const isStatus = aspect === 'status' || aspect === 'silence'
  return {
    aspect,
    status: String(status ?? '-'),
    name,
    // On how many more or fewer depends on the data.
    kind: kind.replace(/^(?:one|several) too /, 'too '),
    operations: [...new Set(finding.operations.map(placeOf))].sort(),
    conditions: [
      ...finding.conditions
        .filter((each) => !isUnknownId(each))
        .map(({ about, kind: its }) => `${about} ${its}`)
        .sort(),
      // A state that breaks the server is another fault than a request that does.
      ...(isStatus && isBroken && after ? [after] : []),
    ],
    due: isStatus && !isBroken ? dueOf(expected) : '',
    says: aspect === 'behaviour' ? `${wordsOf(expected)}: ${wordsOf(actual)}` : '',
  }
}

const none: Feature = {
  ...{ aspect: 'behaviour', status: '-', name: '', kind: '', due: '', says: '' },
  ...{ operations: [], conditions: [] },
}

/** What a failed check observed, the most frequent first; its text if it has no findings. */
export const readFeatures = ({ findings = [], detail }: CheckResult): readonly Feature[] =>
  findings.length === 0 ? [{ ...none, says: wordsOf(detail) }] : findings.map(featureOf)

/** A request that breaks the server, of whatever kind: `broken|GET /pets|500`. */
export const breakingOf = ({ aspect, operations, status, due }: Feature): readonly string[] => {
  const isBroken = aspect === 'silence' || (aspect === 'status' && due === '')
  return isBroken ? [['broken', ...operations, status].join('|')] : []
}

/** Whether what it found first is that a request breaks the server. */
export const isBreak = (result: CheckResult): boolean =>
  readFeatures(result).slice(0, 1).flatMap(breakingOf).length > 0
