// How a load reaches its target: straight.
import type { FoundConfig } from './config-file.ts'
import type { ReachFlags } from './run-flags.ts'
import type { Target } from './target.ts'
import { UsageError } from './usage-error.ts'

/** A proxy that is named is refused; one of the environment is not used, and that is told. */
export const straight = (target: Target, flags: ReachFlags, { config }: FoundConfig): Target => {
  if (typeof (flags.proxy ?? config.proxy) === 'string') {
    const where = flags.proxy === undefined ? 'proxy out of the configuration' : '--proxy out'
    throw new UsageError(`a load does not go through a proxy: leave ${where}`)
  }
  const { reach, baseUrl } = target
  const proxy = reach.proxyOf(new URL(baseUrl))
  const notes = proxy ? [`${proxy.name} is not used: a load goes straight to its target`] : []
  return { ...target, reach: { ...reach, proxyOf: () => null, notes } }
}
