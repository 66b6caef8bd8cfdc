// `petvet domains`: the domains of a published project, in DNS, TLS and HTTP.
import type { CommandEntry } from '../command.ts'

export const domains: readonly CommandEntry[] = [
  {
    usage: 'lint',
    describe: 'validate the file of the domains; uses no network',
    load: async () => (await import('./domains/plan.ts')).lint,
  },
  {
    usage: 'plan',
    describe: 'the DNS record that each domain needs, and what a check would send',
    load: async () => (await import('./domains/plan.ts')).plan,
  },
  {
    usage: 'check',
    describe: 'check every domain once, over DNS, TLS and HTTP',
    load: async () => (await import('./domains/check.ts')).check,
  },
  {
    usage: 'watch',
    describe: 'repeat the check until DNS or certificates are ready; changes nothing',
    load: async () => (await import('./domains/watch.ts')).watch,
  },
  {
    usage: 'removed',
    describe: 'keep connections open while you remove a domain, and check that it is not served',
    load: async () => (await import('./domains/removed.ts')).removed,
  },
  {
    usage: 'demo',
    describe: 'publish a project on loopback, with a dashboard on standard input, until that ends',
    load: async () => (await import('./domains/demo.ts')).demo,
  },
]
