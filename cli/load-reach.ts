// How a load reaches its target: straight, and over HTTP/1.1.
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
  const url = new URL(baseUrl)
  const proxy = reach.proxyOf(url)
  const notes = [
    ...(proxy ? [`${proxy.name} is not used: a load goes straight to its target`] : []),
    ...(url.protocol === 'https:' && reach.http2 ? ['a load speaks HTTP/1.1'] : []),
  ]
  return { ...target, reach: { ...reach, proxyOf: () => null, http2: false, notes } }
}
