// `petvet domains`: the domains of a published project, in DNS, TLS and HTTP.
import type { CommandEntry } from '../command.ts'

const flags = '--domains domains.yaml --platform-host sites.platform.example'

export const domains: readonly CommandEntry[] = [
  {
    usage: 'lint',
    describe: 'validate the file of the domains; uses no network',
    examples: ['domains lint --domains domains.yaml'],
    load: async () => (await import('./domains/check.ts')).lint,
  },
  {
    usage: 'plan',
    describe: 'print the DNS record that each domain needs, and what a check would send',
    examples: [`domains plan ${flags}`],
    load: async () => (await import('./domains/check.ts')).plan,
  },
  {
    usage: 'check',
    describe: 'check every domain once, over DNS, TLS and HTTP',
    examples: [`domains check ${flags}`, `domains check ${flags} --marker my-project`],
    load: async () => (await import('./domains/check.ts')).check,
  },
  {
    usage: 'watch',
    describe: 'repeat the check until DNS or certificates are ready; changes nothing',
    examples: [`domains watch ${flags} --until dns`],
    load: async () => (await import('./domains/watch.ts')).watch,
  },
  {
    usage: 'removed',
    describe: 'keep connections open while you remove a domain, and check that it is not served',
    examples: [`domains removed ${flags} --host docs.example.org`],
    load: async () => (await import('./domains/removed.ts')).removed,
  },
  {
    usage: 'demo',
    describe: 'publish a project on loopback, with a dashboard on standard input, until that ends',
    examples: ['domains demo --mutant cname-typo'],
    load: async () => (await import('./domains/demo.ts')).demo,
  },
]
