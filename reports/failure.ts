// A failed check as all formats show it: expected and actual, the response, how to send it again.
import { count } from '../engine/record/text.ts'
import type { CheckResult, Evidence, EvidenceResponse, RunFile } from '../engine/run-file.ts'
import { requirementOfCheck } from './requirements.ts'
import { cut } from './visible.ts'

/** What was seen, without the minimal failing input of a property; and that input, if any. */
export const withoutInput = (
  actual: string,
): readonly [seen: string, input: string | undefined] => {
  const [, seen = actual, input] =
    /^(.*) \((?:minimal failing input|smallest value found): (.*)\)$/s.exec(actual) ?? []
  return [seen, input]
}

/** What a failed check expected and saw, by label. */
export const findingsOf = (result: CheckResult): readonly (readonly [string, string])[] => {
  const { outcome, expected, actual = '', detail } = result
  if (outcome === 'error') return [['Cause', detail]]
  if (expected === undefined) return [['Seen', detail]]
  const [seen] = withoutInput(actual)
  const codePoints = lookAlike(expected, seen)
  return [
    ['Expected', expected],
    ['Actual', actual],
    ...(codePoints === undefined ? [] : [['Differ', `expected ${codePoints}`] as const]),
  ]
}

/** The texts in quotes, unescaped. */
const quotedIn = (text: string): string[] =>
  [...text.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([quoted]) => {
    try {
      return JSON.parse(quoted) as string
    } catch {
      return quoted.slice(1, -1)
    }
  })

/** `U+00E9`, of the characters beyond ASCII. */
const codePointsOf = (text: string): string =>
  [...text.replace(/[\x20-\x7e]/g, '')]
    .map((each) => `U+${(each.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`)
    .join(' ') || 'ASCII'

/** The code points of two quoted texts that differ only in their Unicode normalization. */
const lookAlike = (expected: string, actual: string): string | undefined => {
  const seen = quotedIn(actual)
  for (const wanted of quotedIn(expected)) {
    const twin = seen.find((text) => text.normalize('NFKC') === wanted.normalize('NFKC'))
    if (twin !== undefined && !seen.includes(wanted)) {
      return `${codePointsOf(wanted)}, got ${codePointsOf(twin)}`
    }
  }
  return undefined
}

const usualHeaders = new Set([
  ...['content-type', 'content-encoding', 'allow', 'location', 'www-authenticate'],
  ...['retry-after', 'deprecation', 'sunset'],
])

/** Whether a header says something about this failure; those of the quota are in each response. */
const matters = (result: CheckResult, { status }: EvidenceResponse, name: string): boolean => {
  const lower = name.toLowerCase()
  if (usualHeaders.has(lower)) return true
  const isOfLimits =
    status === 429 || /^(?:limits|headers|ban|retry-after)\./.test(result.requirement)
  if (lower.startsWith('x-ratelimit-') && isOfLimits) return true
  const says = `${requirementOfCheck(result).says} ${result.detail}`.toLowerCase()
  return says.split(/[^\w-]+/).includes(lower)
}

const maxHeaderCharacters = 120
const maxBodyCharacters = 300

/**
 * The response that shows the violation, shortened: status and the headers that matter, then its
 * body, unless the finding has quoted it.
 */
export const responseLines = (result: CheckResult): string[] => {
  const evidence = result.evidence.at(-1)
  if (!evidence) return []
  const { response, noAnswer } = evidence
  if (!response) return [`none: ${noAnswer ?? 'for an unknown reason'}`]
  const headers = response.headers
    .filter(([name]) => matters(result, response, name))
    .map(([name, value]) => `${name}: ${cut(value, maxHeaderCharacters)}`)
  const { body, bodyBytes } = response
  const isQuoted = body !== '' && (result.actual ?? '').includes(body)
  const size = bodyBytes ?? body.length
  const more = size > maxBodyCharacters ? ` (${count(size, 'byte', 'bytes')})` : ''
  return [
    [String(response.status), ...headers].join(', '),
    ...(isQuoted || body === '' ? [] : [`${cut(body, maxBodyCharacters)}${more}`]),
  ]
}

/** Its key, if the run had several, and what was in flight with it; empty: nothing to say. */
export const sentLine = ({ requestsByKey }: RunFile, { key, together }: Evidence): string => {
  const isOneOfSeveral = key !== undefined && Object.keys(requestsByKey ?? {}).length > 1
  const others = together && count(together.others, 'other request', 'other requests')
  const parts = [isOneOfSeveral && `with ${key}`, others && `together with ${others}`]
  const said = parts.filter((part) => part).join(', ')
  return said === '' ? '' : `sent ${said}`
}

/** What sends the request again, line by line: with the others that were in flight, as a script. */
export const commandLines = ({ curl, together }: Evidence): string[] =>
  together === undefined ? [curl] : together.script.split('\n')
