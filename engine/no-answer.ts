// The third way a call can end: no whole answer. The runner finds out whose fault that is.
import type { Exchange } from './exchange.ts'

export const noAnswerWords: Record<NonNullable<Exchange['noAnswer']>, string> = {
  timeout: 'no whole answer in time',
  refused: 'the connection was refused',
  'unknown-host': 'the host is not known',
  tls: 'the TLS handshake failed',
  reset: 'the connection was closed before the answer was whole',
  'not-http': 'what came is not HTTP',
  unread: 'the response was not read',
  proxy: 'the proxy gave no way to the target',
}

export class NoAnswerError extends Error {
  readonly exchange: Exchange

  constructor(exchange: Exchange) {
    const said = exchange.noAnswer ? noAnswerWords[exchange.noAnswer] : 'no answer'
    super(exchange.noAnswerWhy === undefined ? said : `${said}: ${exchange.noAnswerWhy}`)
    this.name = 'NoAnswerError'
    this.exchange = exchange
  }
}
