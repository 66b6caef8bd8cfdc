// Methods that no path of the interface has: of RFC 9110, of the IANA registry of HTTP methods
// (https://www.iana.org/assignments/http-methods), and one of caches.

/** CONNECT is left out: its target is an authority, which no path is. */
export const otherMethods = [
  'TRACE',
  ...['PROPFIND', 'PROPPATCH', 'MKCOL', 'COPY', 'MOVE', 'LOCK', 'UNLOCK', 'SEARCH', 'REPORT'],
  ...['LINK', 'UNLINK', 'BIND', 'ACL', 'CHECKOUT', 'MERGE', 'QUERY', 'PURGE'],
] as const
