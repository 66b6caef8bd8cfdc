// What the edge of the demonstration returns, as the model says: the project, a redirect, nothing.

import type { HostAnswer, Policy } from '../model/state.ts'
import { marker } from './customers.ts'
import type { EdgeAnswer, EdgeRequest } from './edge.ts'

export const page = (status: number, body: string): EdgeAnswer => ({ status, headers: {}, body })

export const redirectTo = (status: number, location: string): EdgeAnswer => ({
  ...page(status, ''),
  headers: { location },
})

const titled = (status: number, title: string, more = '') =>
  page(
    status,
    `<!doctype html><html lang="en"><head><title>${title}</title>${more}</head></html>\n`,
  )

const projectPage = titled(200, 'Menagerie', `<meta name="petvet" content="${marker}">`)

const absent: Readonly<Record<Policy['removedAnswer'], EdgeAnswer>> = {
  'not-found': titled(404, 'Not found'),
  gone: titled(410, 'Gone'),
  misdirected: titled(421, 'Misdirected'),
  parked: titled(200, 'Parked'),
  'no-handshake': titled(404, 'Not found'),
}

export const websiteAnswer = (
  answer: HostAnswer,
  policy: Policy,
  { scheme, host, path }: EdgeRequest,
): EdgeAnswer => {
  if (answer.kind === 'nothing') return absent[policy.removedAnswer]
  if (scheme === 'http' && policy.plainHttp === 'refuse') return titled(403, 'HTTPS only')
  if (scheme === 'http' && policy.plainHttp === 'https') {
    return redirectTo(308, `https://${host}${path}`)
  }
  if (answer.kind === 'serve') {
    return path.split('?')[0] === '/' ? projectPage : titled(404, 'No such page')
  }
  return redirectTo(answer.status, `https://${answer.to}${policy.path === 'kept' ? path : '/'}`)
}
