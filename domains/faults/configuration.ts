// Faults of the file of the domains, and of the plan.
import { primary } from '../demo/customers.ts'
import type { DomainFault } from '../demo/variant.ts'

const from = 'docs.farm.test'
const redirect = { from, to: primary, status: 301 }

const file = (domains: unknown) => ({ domains: { domains } })

const shape = { breaks: 'publishing.shape', caughtBy: 'lint' } as const
const graph = { breaks: 'publishing.redirect-graph', caughtBy: 'lint' } as const

export const configurationFaults: readonly DomainFault[] = [
  {
    id: 'file-status-text',
    ...shape,
    fault: 'A status is a text.',
    ...file({ primary, redirects: [{ ...redirect, status: '301' }] }),
  },
  {
    id: 'file-status-200',
    ...shape,
    fault: 'A status is no redirect.',
    ...file({ primary, redirects: [{ ...redirect, status: 200 }] }),
  },
  {
    id: 'file-status-fraction',
    ...shape,
    fault: 'A status is no integer.',
    ...file({ primary, redirects: [{ ...redirect, status: 301.5 }] }),
  },
  {
    id: 'file-primary-url',
    ...shape,
    fault: 'The primary domain is a URL.',
    ...file({ primary: `https://${primary}`, redirects: [] }),
  },
  {
    id: 'file-primary-number',
    ...shape,
    fault: 'The primary domain is a number.',
    ...file({ primary: 7 }),
  },
  { id: 'file-no-primary', ...shape, fault: 'There is no primary.', ...file({ redirects: [] }) },
  {
    id: 'file-redirect-without-to',
    ...shape,
    fault: 'A redirect leads nowhere.',
    ...file({ primary, redirects: [{ from, status: 301 }] }),
  },
  {
    id: 'file-from-twice',
    ...graph,
    fault: 'A domain redirects to two others.',
    ...file({ primary, redirects: [redirect, { ...redirect, to: 'farm.test' }] }),
  },
  {
    id: 'file-from-primary',
    ...graph,
    fault: 'The primary domain redirects.',
    ...file({ primary, redirects: [{ ...redirect, from: primary, to: from }] }),
  },
  {
    id: 'file-loop',
    ...graph,
    fault: 'Two domains redirect to each other.',
    ...file({
      primary,
      redirects: [
        { ...redirect, to: 'shop.animals.test' },
        { ...redirect, from: 'shop.animals.test', to: from },
      ],
    }),
  },
  {
    id: 'plan-free',
    breaks: 'publishing.paid-plan',
    caughtBy: 'project-plan',
    fault: 'A project that was always on Free has a custom domain.',
    plan: 'free',
  },
]
