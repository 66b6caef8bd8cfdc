// Host names: their form, what is wrong with one, its registrable domain, and the record to set.
// The door of the tldts package, which is loaded with the first name that is looked up.
import { createRequire } from 'node:module'
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import type * as Tldts from 'tldts'

const load = createRequire(import.meta.url)
const tldts = (): typeof Tldts => load('tldts')

const pattern = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/

/** What the conversion to A-labels drops; joiners (200c, 200d) count in some scripts. */
const invisible = /(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/u

/** In lower case and A-labels, without the final dot; unchanged if it is not a host name. */
export const plainHost = (text: string): string => {
  const bare = text.replace(/\.$/, '').toLowerCase()
  // The conversion would read a URL, and ignore what is no part of a host.
  const isHost = /^[a-z0-9.\u0080-\u{10ffff}-]*$/u.test(bare) && !invisible.test(bare)
  const ascii = isHost ? domainToASCII(bare) : bare
  return pattern.test(ascii) && ascii.length <= 253 ? ascii : text
}

/** Why a text is not a domain; null if it is one. */
export const hostFault = (text: string): string | null => {
  const host = plainHost(text)
  if (pattern.test(host) && host.length <= 253) return null
  if (text === '') return 'is empty'
  const code = invisible.exec(text)?.[0].codePointAt(0)?.toString(16).padStart(4, '0')
  if (code) return `has an invisible character (U+${code.toUpperCase()}): delete it`
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return 'is a URL; give the host alone'
  if (isIP(text.replace(/^\[|\]$/g, '')) !== 0) return 'is an IP address, not a domain'
  if (/:\d*$/.test(text)) return 'has a port; give the host alone'
  if (text.includes('/')) return 'has a path; give the host alone'
  if (text.includes('*')) return 'is a wildcard; name each domain'
  return text.includes('.') ? 'is not a host name' : 'has no dot: give the whole domain'
}

/** Private suffixes (`github.io`) do not count: a project there owns no apex. */
export const registrableDomain = (host: string): string => domainOf(host, false) ?? host

/** Whether domains are registered below it. */
export const isSuffix = (host: string): boolean => domainOf(host, false) === null

const domainOf = (host: string, allowPrivateDomains: boolean): string | null =>
  tldts().getDomain(host, { allowPrivateDomains, validateHostname: false })

/** Rules 2 and 3. Below a private suffix some names are zones (`uk.com`), and others are not. */
export const recordToSet = (host: string, value: string) => {
  const zone = domainOf(host, true) ?? host
  const isApex = host === zone
  const perhaps = zone === registrableDomain(host) ? '' : ' (CNAME if it is no zone of its own)'
  const type = isApex ? `ALIAS or ANAME${perhaps}` : 'CNAME'
  const name = isApex ? '@' : host.slice(0, -zone.length - 1)
  return { zone, type, name, value, ttl: 3600 }
}
