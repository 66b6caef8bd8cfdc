// Quotas per plan, the three headers, 429, Retry-After and bans.
import { must, open, should } from '../requirement.ts'

const plans = 'Request limits by plan'
const headers = 'Rate limit headers'

export const limits = {
  'limits.free': must(`${plans}, Free`, 'Free: 60 requests a minute, 1,000 a day.'),
  'limits.pro': must(`${plans}, Pro`, 'Pro: 300 requests a minute, 10,000 a day.'),
  'limits.business': must(
    `${plans}, Business`,
    'Business: 1,000 requests a minute, 100,000 a day.',
  ),
  'limits.enterprise': must(`${plans}, Enterprise`, 'Enterprise: the numbers that were agreed.'),

  'headers.limit': must(`${headers}, X-RateLimit-Limit`, 'Every response has X-RateLimit-Limit.'),
  'headers.limit.plan': must(
    `${headers}, X-RateLimit-Limit`,
    "X-RateLimit-Limit is the plan's number of requests, per minute or per day.",
  ),
  'headers.remaining': must(
    `${headers}, X-RateLimit-Remaining`,
    'Every response has X-RateLimit-Remaining.',
  ),
  'headers.remaining.bounds': must(
    `${headers}, X-RateLimit-Remaining`,
    'X-RateLimit-Remaining is at least 0 and at most X-RateLimit-Limit.',
  ),
  'headers.remaining.counts': must(
    `${headers}, X-RateLimit-Remaining`,
    'A served request counts: its response has less X-RateLimit-Remaining than X-RateLimit-Limit.',
  ),
  'headers.remaining.falls': must(
    `${headers}, X-RateLimit-Remaining`,
    'A served request lowers X-RateLimit-Remaining by one, not more.',
  ),
  'headers.remaining.rises': must(
    `${headers}, X-RateLimit-Remaining`,
    'X-RateLimit-Remaining falls with each request, and rises only when a window ends.',
  ),
  'headers.reset': must(`${headers}, X-RateLimit-Reset`, 'Every response has X-RateLimit-Reset.'),
  'headers.reset.seconds': must(
    `${headers}, X-RateLimit-Reset`,
    'X-RateLimit-Reset is a Unix timestamp in seconds.',
  ),
  'headers.reset.ahead': must(
    `${headers}, X-RateLimit-Reset`,
    'X-RateLimit-Reset is not in the past, and at most two windows ahead.',
  ),
  // How the algorithm moves Reset is open (ruling 17), hence a should.
  'headers.reset.kept': should(
    `${headers}, X-RateLimit-Reset`,
    'X-RateLimit-Reset does not move back before it is reached.',
  ),
  'headers.date': should(headers, 'A `Date` header, if sent, advances with the time.'),
  'headers.form': must(headers, 'Each rate-limit header is one decimal integer.'),
  'headers.elsewhere': should(
    headers,
    'Responses for unknown addresses, and from the HTTP server, have the three headers too.',
  ),
  'headers.window': open(headers, 'Whether the headers describe the minute or the day.'),
  'headers.agree': must(
    headers,
    'The three rate-limit headers of a response describe the same window.',
  ),

  'limits.429': must('Rules 1', 'A request that exceeds the rate limit gets 429.'),
  'limits.not-early': must(
    'Rules 1',
    'No request is refused while X-RateLimit-Remaining is above 0.',
  ),
  'limits.not-late': must(plans, "No more requests are served in a window than the plan's number."),
  'limits.window-ends': must(plans, 'A window lasts a minute or a day, not longer or shorter.'),
  'limits.one-count': must(
    plans,
    'All requests of a key share one count, whatever the operation, connection, query or header.',
  ),
  'limits.no-effect': must('Rules 1', 'A refused request has no effect.'),
  'limits.which-count': open(
    plans,
    'Whether a request that gets 400, 401, 404 or 429 uses up quota.',
  ),
  'limits.algorithm': open(plans, 'The algorithm of the limiter, and when its windows begin.'),
  'retry-after.present': must('Rules 2', 'A 429 has Retry-After.'),
  'retry-after.true': must('Rules 2', 'After the time in Retry-After a request is served.'),
  'retry-after.excess': should(
    'Rules 2',
    'The time in Retry-After is not much longer than needed.',
  ),
  'limits.backoff': must('Rules 2', 'The client backs off exponentially.', {
    untestable: 'It is about clients, and petvet is the client.',
  }),
  'ban.only-repeated': must('Rules 3', 'Only repeated requests after a 429 lead to a ban.'),
  'ban.ends': must('Rules 3', 'A ban is temporary.'),
  'ban.own-key': must('Rules 3', 'A ban blocks no other key.'),
  'ban.retry-after': should('Rules 3', 'Responses during a ban have Retry-After.'),
  'limits.upgrade': must('Rules 4', 'Higher limits come from a plan upgrade.', {
    untestable: 'Plans change in the dashboard; no operation shows it.',
  }),
  'limits.enterprise-set': must('Rules 4', 'Enterprise quotas are set case by case.', {
    untestable: 'They are agreed outside the interface.',
  }),
  'gap.load': open(plans, 'How fast the service responds, and how much load it handles.'),
  'gap.retry-after-form': open('Rules 5', 'The form of Retry-After.'),
  'gap.ban-look': open('Rules 3', 'After how many refusals a ban begins, and its status.'),
  'gap.ban-duration': open('Rules 5', 'The duration of a ban.'),

  'bounds.limit': must('Parameter bounds', '`limit` is an integer from 1 to 100, default 20.'),
}
