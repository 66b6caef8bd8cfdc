// Told before a run begins: what lies between petvet and the target, and what is not looked at.
import type { Target } from './target.ts'

export const tellReach = (target: Target | null, quiet: boolean): void => {
  if (target === null || quiet) return
  const { reach, baseUrl } = target
  const proxy = reach.proxyOf(new URL(baseUrl))
  const isSecure = baseUrl.startsWith('https:')
  const lines = [
    ...(proxy ? [`through the proxy ${proxy.origin} (${proxy.name})`] : []),
    ...(proxy && !isSecure ? ['the target is plain http, so that proxy reads the keys'] : []),
    ...(reach.insecure && isSecure
      ? ["the target's certificate is not verified (--insecure)"]
      : []),
    ...(reach.notes ?? []),
  ]
  for (const line of lines) process.stderr.write(`petvet: ${line}\n`)
}
