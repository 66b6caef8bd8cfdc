// The faults of published projects, each of which violates one requirement.
import { primary } from '../demo/customers.ts'
import { caught, type DomainFault } from '../demo/variant.ts'
import { certificateFaults } from './certificates.ts'
import { caaFaults, dnsFaults } from './dns.ts'
import { pageFaults, removalFaults } from './pages.ts'
import { docs, file } from './records.ts'

const redirect = { from: docs, to: primary, status: 301 }
const shop = 'shop.animals.test'

const shape = caught('lint', 'publishing.shape')
const graph = caught('lint', 'publishing.redirect-graph')
const onFree = caught('project-plan', 'publishing.paid-plan')

const configurationFaults: readonly DomainFault[] = [
  shape('file-status-text', 'A status is a text.', file([{ ...redirect, status: '301' }])),
  shape('file-status-200', 'A status is no redirect.', file([{ ...redirect, status: 200 }])),
  shape('file-status-fraction', 'A status is no integer.', file([{ ...redirect, status: 301.5 }])),
  shape('file-primary-url', 'The primary domain is a URL.', file([], `https://${primary}`)),
  shape('file-primary-number', 'The primary domain is a number.', file(undefined, 7)),
  shape('file-no-primary', 'There is no primary.', { domains: { domains: { redirects: [] } } }),
  shape(
    'file-redirect-without-to',
    'A redirect leads nowhere.',
    file([{ from: docs, status: 301 }]),
  ),
  graph(
    'file-from-twice',
    'A domain redirects to two others.',
    file([redirect, { ...redirect, to: 'farm.test' }]),
  ),
  graph(
    'file-from-primary',
    'The primary domain redirects.',
    file([{ ...redirect, from: primary, to: docs }]),
  ),
  graph(
    'file-loop',
    'Two domains redirect to each other.',
    file([
      { ...redirect, to: shop },
      { ...redirect, from: shop, to: docs },
    ]),
  ),
  onFree('plan-free', 'A project that was always on Free has a custom domain.', { plan: 'free' }),
]

export const domainFaults: readonly DomainFault[] = [
  ...dnsFaults,
  ...certificateFaults,
  ...caaFaults,
  ...pageFaults,
  ...removalFaults,
  ...configurationFaults,
]
