// All scenarios, in the order in which they run: first what spares the keys, last what bans one.
import { backoff } from './backoff.ts'
import { ban } from './ban.ts'
import { burst } from './burst.ts'
import { capacity } from './capacity.ts'
import { edge } from './edge.ts'
import { fleet } from './fleet.ts'
import { replicas } from './replicas.ts'
import type { Scenario } from './scenario.ts'
import { soak } from './soak.ts'
import { steady } from './steady.ts'

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
