// HAR 1.2: the exchanges of a run, for the network tools of browsers, proxies and load testers.
import type { RecordedExchange } from './exchanges.ts'
import type { Source } from './summary.ts'
import { inertJson } from './visible.ts'

/** One exchange after the other, so that a run of any length fits into memory. */
export function* har({ run, exchanges }: Source): Iterable<string> {
  const log = {
    version: '1.2',
    creator: { name: 'petvet', version: run.petvet },
    comment: [`seed ${run.seed}`, 'keys are replaced by $PETVET_KEY', ...run.notes].join('; '),
  }
  yield `{"log":${inertJson(log).slice(0, -1)},"entries":[`
  let separator = '\n'
  for (const exchange of exchanges()) {
    yield `${separator}${inertJson(entryOf(exchange))}`
    separator = ',\n'
  }
  yield '\n]}}\n'
}

type Headers = RecordedExchange['request']['headers']

const entryOf = (exchange: RecordedExchange) => ({
  startedDateTime: exchange.at,
  time: exchange.ms,
  request: requestOf(exchange),
  response: responseOf(exchange),
  cache: {},
  // The whole time counts as waiting: sending and receiving are not measured.
  timings: { send: 0, wait: exchange.ms, receive: 0 },
  comment: commentOf(exchange),
})

const commentOf = ({ seq, check, key, noAnswer }: RecordedExchange): string =>
  [
    `${seq} ${check}`,
    key === null ? 'without a valid key' : `key ${key}`,
    ...(noAnswer === undefined ? [] : [`no response: ${noAnswer}`]),
  ].join(', ')

const pairs = (headers: Headers) => headers.map(([name, value]) => ({ name, value }))

const headerOf = (headers: Headers, name: string): string =>
  headers.find(([given]) => given.toLowerCase() === name)?.[1] ?? ''

const bytesOf = (text: string): number => Buffer.byteLength(text)

const requestOf = ({
  request: { method, url, headers, body, bodyBase64, padding = 0 },
}: RecordedExchange) => ({
  method,
  url,
  httpVersion: 'HTTP/1.1',
  cookies: [],
  headers: pairs(headers),
  queryString: queryOf(url),
  headersSize: -1,
  bodySize: padding + (bodyBase64 === undefined ? bytesOf(body ?? '') : bytesIn(bodyBase64)),
  ...(body !== null && {
    postData: {
      mimeType: headerOf(headers, 'content-type'),
      text: body,
      ...(padding > 0 && { comment: `${padding} spaces were sent before it` }),
      ...(bodyBase64 !== undefined && { comment: `not UTF-8; in base64: ${bodyBase64}` }),
    },
  }),
})

const bytesIn = (base64: string): number => Buffer.from(base64, 'base64').length

/** Verbatim: some queries cannot be decoded. */
const queryOf = (url: string) => {
  const at = url.indexOf('?')
  const parts = at < 0 ? [] : url.slice(at + 1).split('&')
  return parts.map((part) => {
    const [name = '', ...rest] = part.split('=')
    return { name, value: rest.join('=') }
  })
}

const responseOf = ({ response, noAnswer }: RecordedExchange) => {
  const { status, headers, body, bodyBase64 } = response ?? {
    status: 0,
    headers: [],
    body: '',
  }
  const size = bodyBase64 === undefined ? bytesOf(body) : bytesIn(bodyBase64)
  return {
    status,
    statusText: '',
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: pairs(headers),
    content: {
      size,
      mimeType: headerOf(headers, 'content-type'),
      text: bodyBase64 ?? body,
      ...(bodyBase64 !== undefined && { encoding: 'base64' }),
    },
    redirectURL: headerOf(headers, 'location'),
    headersSize: -1,
    bodySize: size,
    ...(noAnswer !== undefined && { comment: `no response: ${noAnswer}` }),
  }
}
