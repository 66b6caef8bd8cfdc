// Traces of a server's insides in an error: patterns that no honest message matches.

import { bodyText, readBody } from '../../engine/body.ts'
import type { Answered } from '../../engine/exchange.ts'
import type { Json } from '../../engine/json.ts'

const patterns: readonly RegExp[] = [
  // Stack traces.
  /\bat .{1,200} \(.{1,200}:\d+:\d+\)/,
  /\bat (?:file:\/\/|\/|[A-Z]:\\).{1,200}:\d+:\d+/,
  /\bat [\w$.]+\([\w$]+\.(?:java|kt|scala):\d+\)/,
  /Traceback \(most recent call last\)/,
  /\bFile ".{1,200}", line \d+/,
  /\bgoroutine \d+ \[/,
  /\b(?:java|javax|jakarta|org\.\w+|com\.\w+|System)\.[\w.$]{0,200}(?:Exception|Error)\b/,
  /\bnode:internal\//,
  // File paths.
  /(?<![\w.:/-])\/(?:usr|var|home|opt|srv|app|root|etc|tmp|Users)\/[\w.@/-]*\/[\w.@-]+/,
  /(?<![\w.:/-])\/(?:usr|var|home|opt|srv|app|root|etc|tmp|Users)\/[\w.@-]+\.\w{1,5}\b/,
  /\bnode_modules\//,
  /\b[A-Z]:\\[\w.-]+\\[\w.\\-]+/,
  /\bfile:\/\/\//,
  /(?<![\w-])[\w-]+\.(?:js|ts|mjs|cjs|py|rb|go|rs|php|cs|java):\d+\b/,
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
const valuesMost = 10_000

/** In all: what shows the insides is the message, or stands next to it. */
const charactersMost = 20_000

/** The strings of a body, the outer ones first: as they read, without the escapes of JSON. */
const textsOf = (value: Json): string[] => {
  const texts: string[] = []
  const left: Json[] = [value]
  for (let looked = 0; looked < valuesMost && texts.length < textsMost; looked += 1) {
    const next = left[looked]
    if (next === undefined) break
    if (typeof next === 'string') texts.push(next)
    else if (typeof next === 'object' && next !== null) {
      for (const part of Object.values(next)) left.push(part)
    }
  }
  return texts
}

/** The beginnings of texts, as much of them as is looked at. */
const beginnings = (texts: readonly string[]): string[] => {
  let left = charactersMost
  return texts.map((text) => {
    const beginning = text.slice(0, left)
    left -= beginning.length
    return beginning
  })
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

/** What was found, to the ends of its words: a part of a key is not known as one. */
const withItsWords = ({ 0: found, index }: RegExpExecArray, text: string): string => {
  const from = text.lastIndexOf(' ', index) + 1
  const end = index + found.length
  const rest = text.slice(end).search(/\s/)
  return text.slice(from, rest < 0 ? undefined : end + rest)
}

/** What shows the server's insides, if anything does; what the client sent may be repeated. */
export const internalsIn = (exchange: Answered): string | undefined => {
  const body = readBody(exchange)
  const whole = 'value' in body ? textsOf(body.value) : [bodyText(exchange)]
  const sent = sentTexts(exchange)
  for (const [at, text] of beginnings(whole).entries()) {
    for (const pattern of patterns) {
      const match = pattern.exec(text)
      if (!match || sent.some((given) => given.includes(match[0]))) continue
      return withItsWords(match, whole[at] ?? text)
    }
  }
  return undefined
}
