// The faults of published projects, each of which breaks one sentence: the list of all.

import type { DomainFault } from '../demo/variant.ts'
import { certificateFaults } from './certificates.ts'
import { configurationFaults } from './configuration.ts'
import { dnsFaults } from './dns.ts'
import { pageFaults } from './pages.ts'
import { removalFaults } from './removals.ts'

export const domainFaults: readonly DomainFault[] = [
  ...dnsFaults,
  ...certificateFaults,
  ...pageFaults,
  ...removalFaults,
  ...configurationFaults,
]
