// `petvet domains`: a published project's domains, in DNS, TLS and HTTP.
import type { Command, CommandEntry } from '../command.ts'
import { domainsPackages, needing } from '../optional-packages.ts'

const needingAll = (name: string, command: Command): Command =>
  needing(`domains ${name}`, domainsPackages, command)

export const domains: readonly CommandEntry[] = [
  {
    usage: 'lint',
    describe: 'validate the file of the domains; uses no network',
    load: async () => (await import('./domains/plan.ts')).lint,
  },
  {
    usage: 'plan',
    describe: 'the DNS record that each domain needs, and what a check would send',
    load: async () => needingAll('plan', (await import('./domains/plan.ts')).plan),
  },
  {
    usage: 'check',
    describe: 'look at every domain once, in DNS, TLS and HTTP, and judge it',
    load: async () => needingAll('check', (await import('./domains/look.ts')).check),
  },
  {
    usage: 'watch',
    describe: 'look again and again until DNS or certificates are ready; presses nothing',
    load: async () => needingAll('watch', (await import('./domains/watch.ts')).watch),
  },
  {
    usage: 'removed',
    describe: 'hold connections, wait until a domain is removed, and check that nothing is served',
    load: async () => needingAll('removed', (await import('./domains/removed.ts')).removed),
  },
  {
    usage: 'demo',
    describe: 'publish a project on loopback: DNS, authority, edge, and a dashboard on stdin',
    load: async () => needingAll('demo', (await import('./domains/demo.ts')).demo),
  },
]
