// The faults of published projects, each of which breaks one sentence: the list of all.
import { certificateFaults } from './faults/certificates.ts'
import { configurationFaults } from './faults/configuration.ts'
import { dnsFaults } from './faults/dns.ts'
import { pageFaults } from './faults/pages.ts'
import { removalFaults } from './faults/removals.ts'
import type { DomainFault } from './variant.ts'

export const domainFaults: readonly DomainFault[] = [
  ...dnsFaults,
  ...certificateFaults,
  ...pageFaults,
  ...removalFaults,
  ...configurationFaults,
]
