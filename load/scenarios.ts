// All scenarios in the order in which they run: the least harmful to the keys first.
import type { Scenario } from './scenario.ts'
import { burst, edge, fleet, replicas } from './scenarios/bursts.ts'
import { backoff, ban } from './scenarios/clients.ts'
import { capacity, soak, steady } from './scenarios/within-quota.ts'

export const scenarios: readonly Scenario[] = [
  steady,
  capacity,
  fleet,
  edge,
  replicas,
  backoff,
  burst,
  ban,
  soak,
]
