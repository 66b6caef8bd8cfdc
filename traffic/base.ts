// The base URL of recorded traffic: the one that most requests for pets are below.
import type { Recorded } from './har.ts'

/** An address without its fragment, as `https://api.example.com` and `/v1/pets?limit=1`. */
const partsOf = (url: string): readonly [origin: string, target: string] => {
  const [, origin = '', target = ''] = /^([a-z][\w+.-]*:\/\/[^/?#]*)(.*)$/is.exec(url) ?? []
  return [origin.toLowerCase().replace(/^(http:.*):80$|^(https:.*):443$/, '$1$2'), target]
}

/** The path below a base URL, as it was sent; undefined: it is at another address. */
export const pathBelow = (base: string, url: string): string | undefined => {
  const [[origin, target], [ownOrigin, ownPath]] = [partsOf(url), partsOf(base)]
  const path = target.slice(ownPath.length)
  const isBelow = target.startsWith(ownPath) && /^(?:[/?]|$)/.test(path)
  return origin === ownOrigin && isBelow ? path : undefined
}

/** @returns the longest address that ends in /v1 and that most requests for pets are below */
export const findBase = (all: readonly Recorded[]): string | undefined => {
  const found = all.flatMap(({ request }) => {
    const [origin, target] = partsOf(request.url)
    const [, path] = /^([^?]*\/v1)(?=\/pets(?:[/?]|$))/.exec(target) ?? []
    return path === undefined ? [] : `${origin}${path}`
  })
  const groups = [...Map.groupBy(found, (base) => base)]
  groups.sort(([a, n], [b, m]) => m.length - n.length || b.length - a.length)
  return groups[0]?.[0]
}
