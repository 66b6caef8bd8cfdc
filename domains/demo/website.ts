// What the edge of the demonstration answers, as the model says: the project, a redirect, nothing.

import type { HostAnswer } from '../model/state.ts'
import type { Policy } from '../rules/policies.ts'
import { marker } from './customers.ts'
import type { EdgeAnswer, EdgeRequest } from './edge.ts'

const page = (status: number, body: string): EdgeAnswer => ({ status, headers: {}, body })

const html = (title: string, more: string) =>
  `<!doctype html><html lang="en"><head><title>${title}</title>${more}</head></html>\n`

/** The front page of the project. */
const projectPage = page(200, html('Menagerie', `<meta name="petvet" content="${marker}">`))

const redirectTo = (status: number, location: string): EdgeAnswer => ({
  status,
  headers: { location },
  body: '',
})

const absent: Readonly<Record<Policy['removedAnswer'], EdgeAnswer>> = {
  'not-found': page(404, html('Not found', '')),
  gone: page(410, html('Gone', '')),
  misdirected: page(421, html('Misdirected', '')),
  parked: page(200, html('Parked', '')),
  'no-handshake': page(404, html('Not found', '')),
}

const ofHost = (answer: HostAnswer, policy: Policy, { path }: EdgeRequest): EdgeAnswer => {
  switch (answer.kind) {
    case 'serve':
      return path.split('?')[0] === '/' ? projectPage : page(404, html('No such page', ''))
    case 'redirect':
      return redirectTo(answer.status, `https://${answer.to}${policy.path === 'kept' ? path : '/'}`)
    case 'nothing':
      return absent[policy.removedAnswer]
  }
}

export const websiteAnswer = (
  answer: HostAnswer,
  policy: Policy,
  request: EdgeRequest,
): EdgeAnswer => {
  const isPlain = request.scheme === 'http' && answer.kind !== 'nothing'
  if (!isPlain || policy.plainHttp === 'same') return ofHost(answer, policy, request)
  if (policy.plainHttp === 'refuse') return page(403, html('HTTPS only', ''))
  return redirectTo(308, `https://${request.host}${request.path}`)
}
