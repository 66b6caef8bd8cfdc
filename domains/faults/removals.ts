// Faults of removals: what is left of a removed domain, and what goes with it.
import { primary } from '../demo/customers.ts'
import type { DomainFault } from '../demo/variant.ts'

const docs = 'docs.farm.test'
const shop = 'shop.animals.test'

const gone = (way: string, host: string) => ({
  breaks: 'publishing.removed' as const,
  caughtBy: `removed-${way}@${host}`,
  remove: host,
})

const routes = new WeakMap<object, true>()

export const removalFaults: readonly DomainFault[] = [
  {
    id: 'removed-redirect-answers',
    ...gone('fresh', docs),
    fault: 'A removed domain redirects as before.',
    answer: (honest, request, formerly) =>
      request.host === docs ? formerly(request) : honest(request),
  },
  {
    id: 'removed-primary-serves',
    ...gone('fresh', primary),
    fault: 'A removed domain serves as before.',
    answer: (honest, request, formerly) =>
      request.host === primary ? formerly(request) : honest(request),
  },
  {
    id: 'removed-plain-http-answers',
    ...gone('plain-http', shop),
    fault: 'A removed domain redirects to its target over plain HTTP.',
    policy: { plainHttp: 'same' },
    answer: (honest, request, formerly) =>
      request.host === shop && request.scheme === 'http' ? formerly(request) : honest(request),
  },
  {
    id: 'removed-plain-http-serves',
    ...gone('plain-http', primary),
    fault: 'A removed domain serves over plain HTTP.',
    policy: { plainHttp: 'same' },
    answer: (honest, request, formerly) =>
      request.host === primary && request.scheme === 'http' ? formerly(request) : honest(request),
  },
  {
    id: 'removed-other-sni-answers',
    ...gone('other-sni', docs),
    fault: "A removed domain answers on a connection that was opened under another's name.",
    answer: (honest, request, formerly) =>
      request.sni === request.host ? honest(request) : formerly(request),
  },
  {
    id: 'removed-held-answers',
    ...gone('held', docs),
    fault: 'The route is bound to the connection, and outlives the removal on it.',
    answer: (honest, request, formerly) => {
      const isKnown = routes.has(request.connection)
      routes.set(request.connection, true)
      return isKnown && request.host === docs ? formerly(request) : honest(request)
    },
  },
  {
    id: 'removed-resumed-answers',
    ...gone('resumed', docs),
    fault: 'The route is kept with the TLS session, and comes back with it.',
    answer: (honest, request, formerly) => (request.resumed ? formerly(request) : honest(request)),
  },
  {
    id: 'removed-others-too',
    breaks: 'publishing.removed-alone',
    caughtBy: `removed-alone@${shop}`,
    remove: docs,
    fault: 'Removing one redirect removes them all.',
    answer: (honest, request) =>
      request.host === shop && honest({ ...request, host: docs }).status === 404
        ? { status: 404, headers: {}, body: 'no such site' }
        : honest(request),
  },
]
