// The platform as a look at it knows it: its addresses, and what its redirects are asked with.
import type { Asked, DnsTable } from './facts.ts'
import { lookIn, viewOf } from './walk.ts'

/** The addresses of the platform, from every resolver. */
export const platformAddressesOf = (tables: readonly DnsTable[], asked: Asked): string[] => [
  ...new Set([
    ...tables.flatMap((table) => viewOf(lookIn(table), asked.platformHost).addresses),
    ...asked.platformAddresses,
  ]),
]

/** The path with which a redirect is asked whether it keeps it. */
export const askedPath = '/petvet-path?petvet=1'
