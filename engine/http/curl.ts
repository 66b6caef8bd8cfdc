// A request as a line for a shell, with a variable in place of the key.
import type { SentRequest } from '../../history/exchange.ts'
import { unsafe } from '../../history/quote.ts'
import type { Redactor } from './redact.ts'

/** A word for a shell, unchanged. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A text as one shell word: literal parts in single quotes, secrets as expressions. */
const word = (redactor: Redactor, text: string): string =>
  redactor
    .pieces(text)
    .map((piece) => ('shell' in piece ? `"${piece.shell}"` : quoted(piece.text)))
    .join('')

/** Of one character, so long that the line can hardly be read. */
const longRun = /([\w [\]{}])\1{499,}/

const repeated = (sign: string, times: number): string =>
  `head -c ${times} /dev/zero | tr '\\0' '${sign}'`

/** As octal bytes what cannot be read, or is changed where it is shown. */
const octal = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')

/** A command that writes a text just as it is. */
const printing = (text: string): string => {
  if (text.search(unsafe) < 0) return `printf %s ${quoted(text)}`
  const format = text.replaceAll('\\', '\\\\').replaceAll('%', '%%')
  return `printf ${quoted(format.replace(unsafe, octal))}`
}

/** The commands that write a text, whose long runs of one character are not written out. */
const writing = (text: string): string[] => {
  const run = longRun.exec(text)
  if (!run) return text === '' ? [] : [printing(text)]
  const [{ length }, sign = ''] = run
  const after = text.slice(run.index + length)
  return [...writing(text.slice(0, run.index)), repeated(sign, length), ...writing(after)]
}

/** What writes a body that is too long for a line; undefined: the line can have it. */
const writingBody = (redactor: Redactor, { body, padding = 0 }: SentRequest) => {
  const isPlain = !longRun.test(body ?? '') && (body ?? '').search(unsafe) < 0
  if (padding === 0 && isPlain) return undefined
  const commands = redactor
    .pieces(body ?? '')
    .flatMap((piece) => ('shell' in piece ? [`printf %s "${piece.shell}"`] : writing(piece.text)))
  return `{ ${[...(padding > 0 ? [repeated(' ', padding)] : []), ...commands].join('; ')}; }`
}

const maxScriptCharacters = 16_000

/** Sends requests at the same time, and waits for all; what is too long becomes a comment. */
export const writeScript = (lines: readonly string[]): string => {
  let left = maxScriptCharacters
  const shown = [...Map.groupBy(lines, (line) => line)].filter(([line]) => {
    left -= line.length
    return left >= 0
  })
  const commands = shown.map(([line, { length }]) =>
    length === 1 ? `${line} &` : `for i in $(seq ${length}); do ${line} & done`,
  )
  const leftOut = lines.length - shown.flatMap(([, same]) => same).length
  const more = leftOut > 0 ? [`# ${leftOut} more requests: see exchanges.ndjson`] : []
  return [...commands, ...more, 'wait'].join('\n')
}

/** `curl` with what it needs to send just this request: nothing normalised, nothing added. */
export const writeCurl = (
  request: SentRequest,
  redactor: Redactor,
  reach: readonly string[],
): string => {
  const parts = ['curl -sS -i --path-as-is --globoff', ...reach]
  if (request.method === 'HEAD') parts.push('--head')
  else if (request.method !== 'GET') parts.push(`-X ${request.method}`)
  parts.push(word(redactor, request.url))
  for (const [name, value] of request.headers) {
    // Unless it is given --compressed, curl asks for no coding either.
    if (name === 'Accept-Encoding' && value === 'identity') continue
    parts.push('-H', word(redactor, value === '' ? `${name};` : `${name}: ${value}`))
  }
  if (request.framing === 'chunked') parts.push(`-H 'Transfer-Encoding: chunked'`)
  const typed = request.headers.some(([name]) => name.toLowerCase() === 'content-type')
  if (request.body !== null && !typed) parts.push(`-H 'Content-Type:'`)
  if (request.bodyBase64 !== undefined) {
    return `printf %s ${request.bodyBase64} | base64 -d | ${parts.join(' ')} --data-binary @-`
  }
  const written = writingBody(redactor, request)
  if (written !== undefined) return `${written} | ${parts.join(' ')} --data-binary @-`
  if (request.body !== null) parts.push('--data-binary', word(redactor, request.body))
  return parts.join(' ')
}
