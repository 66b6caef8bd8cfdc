// An exchange as it stands in the record of a run, made what it was when it happened.
import type { Exchange, NoAnswer } from '../exchange.ts'
import type { ApiRequest, Header } from '../request.ts'
import type { EvidenceResponse } from '../run-file.ts'
import type { ToldExchange } from './past.ts'

const bytesOf = ({ body, bodyBase64 }: EvidenceResponse, key: string | null): Uint8Array => {
  if (bodyBase64 !== undefined) return new Uint8Array(Buffer.from(bodyBase64, 'base64'))
  return new Uint8Array(Buffer.from(key === null ? body : body.replaceAll('$PETVET_KEY', key)))
}

/** What was asked, as far as what was sent tells. */
const askedOf = ({ request, sending }: ToldExchange, baseUrl: URL): ApiRequest => {
  const { pathname, search } = new URL(request.url)
  const whole = request.url.startsWith(baseUrl.origin)
    ? request.url.slice(baseUrl.origin.length)
    : `${pathname}${search}`
  const basePath = baseUrl.pathname.replace(/\/+$/, '')
  const isAuthorization = ([name]: Header) => name === 'Authorization'
  const values = request.headers.filter(isAuthorization).map(([, value]) => value)
  return {
    method: request.method,
    path: sending.from === 'origin' ? whole : whole.slice(basePath.length),
    from: sending.from ?? 'base',
    authorization: sending.key !== null ? 'valid' : values.length > 0 ? values : null,
    scheme: values[0]?.split(' ')[0] ?? 'Bearer',
    headers: request.headers.filter((header) => !isAuthorization(header)),
    body: request.bodyBase64 ? Buffer.from(request.bodyBase64, 'base64') : request.body,
    ...(request.padding !== undefined && { padding: request.padding }),
    ...(sending.insists && { insists: true }),
  }
}

export interface Rebuilding {
  readonly baseUrl: URL
  readonly keyOf: (label: string) => string
  /** What is asked, as it is sent. */
  readonly sent: (asked: ApiRequest, label: string | null) => Exchange['request']
}

/** @param asked by the code that is told again; undefined: it did not ask */
export const exchangeOf = (
  told: ToldExchange,
  asked: ApiRequest | undefined,
  { sent, keyOf, baseUrl }: Rebuilding,
): Exchange => {
  const { seq, at, check, key, response, noAnswer, answered } = told
  const { sentMs, receivedMs, movedMs, meanwhileMs, cut, encoded } = answered
  const request = asked ? sent(asked, key) : told.request
  const bytes = response && bytesOf(response, key === null ? null : keyOf(key))
  return {
    ...{ seq, at, check, key, asked: asked ?? askedOf(told, baseUrl), request },
    response: response &&
      bytes && {
        ...{ status: response.status, headers: response.headers, bytes, cut: cut ?? false },
        ...(encoded && { encoded }),
      },
    noAnswer: (noAnswer as NoAnswer | undefined) ?? null,
    ...{ sentMs, receivedMs, movedMs, ...(meanwhileMs !== undefined && { meanwhileMs }) },
  }
}
