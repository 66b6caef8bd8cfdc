// The public suffix list, and its door: which part of a host name somebody could register.
import { getDomain } from 'tldts'

/**
 * The registrable domain of a host name, such as `shop.co.uk` for `www.shop.co.uk`; the host
 * itself where it is a suffix. Private suffixes (`github.io`) are not asked about: whoever runs a
 * project there owns no apex. An unlisted suffix is taken to be the last label.
 * @param host in A-labels, without a final dot
 */
export const registrableDomain = (host: string): string =>
  getDomain(host, { allowPrivateDomains: false, validateHostname: false }) ?? host
