// Where faults usually come from, and how they are fixed, by the requirement that they violate.
import type { RequirementId } from '../../spec/requirements.ts'

/** By the beginning of the requirement's id, origin and fix; the longest that matches counts. */
const rows: Readonly<Record<string, readonly [origin: string, fix: string]>> = {
  '': [
    'A default of the framework or proxy that differs from the interface.',
    'Compare the response with the requirement, and override the default for this operation.',
  ],
  auth: [
    'Authentication as middleware of single routes, or a comparison of prefixes or hashes.',
    'Check the whole token once, in front of all routes, and before anything else is read.',
  ],
  'auth.first': [
    'A framework that validates parameters and bodies before it calls the handler.',
    'Run authentication as the outermost middleware.',
  ],
  'auth.per-key': [
    'A limiter whose key is the plan, the client address or a hash that collides.',
    'Count by the whole API key.',
  ],
  ban: [
    'A counter of refusals that is shared, never reset, or counts other errors too.',
    'Count the 429 responses of each key apart, and state the end of the ban in Retry-After.',
  ],
  create: [
    'A body parser that accepts more than JSON objects, or work that is done before validation.',
    'Validate the whole body strictly, then store the pet, then respond 201 with what was stored.',
  ],
  error: [
    'Error pages of the router, the parser or the proxy, and messages of exceptions.',
    'Write every error through one function: code, message and the status of the response.',
  ],
  get: [
    'A lenient conversion of the path parameter, or a cache or replica in front of the store.',
    'Parse petId as a whole decimal int64, and read the pet from where creations are written.',
  ],
  'get.deprecation-header': [
    'One of several draft forms of the header.',
    'Send `Deprecation: @` and Unix seconds, as RFC 9745 defines it.',
  ],
  'get.sunset-header': [
    'Another date format, or a month counted from 0.',
    'Send an HTTP date (RFC 9110, section 5.6.7), as RFC 8594 defines it.',
  ],
  'get.removed': [
    'The removal as a manual step, or a comparison in local time.',
    'Compare the current time with the removal date in UTC, and respond 404 or 410 from then on.',
  ],
  headers: [
    'A limiter that writes its headers only where it is called, or in a form of its own.',
    'Write all three headers in one place that every response passes, errors included.',
  ],
  'headers.reset': [
    'Seconds that remain, or milliseconds, in place of a Unix time.',
    'Send the Unix time in seconds at which the window ends, rounded up.',
  ],
  limits: [
    'A counter per process, route or connection, or one that is read and written in two steps.',
    'Count in one shared place with an atomic increment, for every authenticated call alike.',
  ],
  list: [
    'Filter and limit that are applied in the wrong order, or a cached list.',
    'Filter first, then take the first `limit` pets, 20 where the query has none.',
  ],
  'list.limit.maximum': [
    'A value outside the range that is clamped or ignored.',
    'Refuse it with 400.',
  ],
  'new-pet': [
    'A validator that converts types, fills in defaults, or normalizes text.',
    'Switch conversion off, and store each member exactly as it was sent.',
  ],
  'new-pet.category': [
    'A JSON parser that reads numbers as doubles.',
    'Parse int64 exactly, and refuse what is outside its range.',
  ],
  'pet.id': [
    'Ids that are made from time, randomness or text.',
    'Let the store count ids upwards, and print them as JSON integers.',
  ],
  'retry-after': [
    'A constant, or the end of another window than the one that refuses.',
    'Send the whole seconds until the key is served again, rounded up, with every 429.',
  ],
  'service.no-server-error': [
    'An exception of a parser or of the store that nothing catches.',
    'Validate before the value is used, and respond with the fitting 4xx.',
  ],
  'service.own-response': [
    'State in a module variable, a pooled object or the connection.',
    'Keep everything that belongs to a request in local variables of its handler.',
  ],
}

export const adviceFor = (id: RequirementId) => {
  const matching = Object.keys(rows).filter(
    (prefix) =>
      prefix === '' || id === prefix || id.startsWith(`${prefix}.`) || id.startsWith(`${prefix}-`),
  )
  const [longest = ''] = matching.sort((a, b) => b.length - a.length)
  const [origin = '', fix = ''] = rows[longest] ?? []
  return { origin, fix }
}
