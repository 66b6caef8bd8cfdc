// Traces of a server's insides in an error: patterns that no honest message matches.
import type { Answered } from '../kit/exchange.ts'
import { bodyText, readBody } from '../kit/exchange.ts'
import type { Json } from '../kit/json.ts'

const patterns: readonly RegExp[] = [
  // Stack traces.
  /\bat .{1,200} \(.{1,200}:\d+:\d+\)/,
  /\bat (?:file:\/\/|\/|[A-Z]:\\).{1,200}:\d+:\d+/,
  /\bat [\w$.]+\([\w$]+\.(?:java|kt|scala):\d+\)/,
  /Traceback \(most recent call last\)/,
  /\bFile ".{1,200}", line \d+/,
  /\bgoroutine \d+ \[/,
  /\b(?:java|javax|jakarta|org\.\w+|com\.\w+|System)\.[\w.$]*(?:Exception|Error)\b/,
  /\bnode:internal\//,
  // File paths.
  /(?<![\w.:/-])\/(?:usr|var|home|opt|srv|app|root|etc|tmp|Users)\/[\w.@/-]*\/[\w.@-]+/,
  /(?<![\w.:/-])\/(?:usr|var|home|opt|srv|app|root|etc|tmp|Users)\/[\w.@-]+\.\w{1,5}\b/,
  /\bnode_modules\//,
  /\b[A-Z]:\\[\w.-]+\\[\w.\\-]+/,
  /\bfile:\/\/\//,
  /\b[\w-]+\.(?:js|ts|mjs|cjs|py|rb|go|rs|php|cs|java):\d+\b/,
  // SQL, and what databases say.
  /\bSELECT\b.{1,300}\bFROM\b/,
  /\bINSERT INTO\b/,
  /\bUPDATE\b.{1,200}\bSET\b/,
  /\bDELETE FROM\b/,
  /\bSQLSTATE\b|\bSQLITE_[A-Z]+\b|\bORA-\d{5}\b/,
  /\b(?:UNIQUE|CHECK|NOT NULL|FOREIGN KEY) constraint failed\b/,
  /\bsyntax error at or near\b/,
  /\bviolates (?:unique|check|not-null|foreign key) constraint\b/,
]

const textsMost = 100

/** The strings of a body, at any depth: as they read, without the escapes of JSON. */
const textsOf = (value: Json): string[] => {
  const texts: string[] = []
  const left: Json[] = [value]
  for (let next = left.pop(); next !== undefined && texts.length < textsMost; next = left.pop()) {
    if (typeof next === 'string') texts.push(next)
    else if (typeof next === 'object' && next !== null) left.push(...Object.values(next))
  }
  return texts
}

/** An address as a message may repeat it. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const sentTexts = ({ request }: Answered): string[] => [
  request.url,
  decoded(request.url),
  ...request.headers.map(([, value]) => value),
  request.body ?? '',
]

/** What shows the server's insides, if anything does; what the client sent may be repeated. */
export const internalsIn = (exchange: Answered): string | undefined => {
  const body = readBody(exchange)
  const texts = 'value' in body ? textsOf(body.value) : [bodyText(exchange).slice(0, 10_000)]
  const sent = sentTexts(exchange)
  for (const text of texts) {
    for (const pattern of patterns) {
      const [found] = pattern.exec(text) ?? []
      if (found !== undefined && !sent.some((given) => given.includes(found))) return found
    }
  }
  return undefined
}
