// Quotas per plan, the three headers, 429, Retry-After and bans.
import { must, open, should, under } from './requirement.ts'

export const limits = {
  ...under('Limits, Request limits by plan, Free', {
    'limits.free': must('Free: 60 requests a minute, 1,000 a day.'),
  }),
  ...under('Limits, Request limits by plan, Pro', {
    'limits.pro': must('Pro: 300 requests a minute, 10,000 a day.'),
  }),
  ...under('Limits, Request limits by plan, Business', {
    'limits.business': must('Business: 1,000 requests a minute, 100,000 a day.'),
  }),
  ...under('Limits, Request limits by plan, Enterprise', {
    'limits.enterprise': must('Enterprise: the numbers that were agreed.'),
  }),
  ...under('Limits, Rate limit headers, X-RateLimit-Limit', {
    'headers.limit': must('Every response has X-RateLimit-Limit.', 15),
    'headers.limit.plan': must(
      "X-RateLimit-Limit is the plan's number of requests, per minute or per day.",
      16,
    ),
  }),
  ...under('Limits, Rate limit headers, X-RateLimit-Remaining', {
    'headers.remaining': must('Every response has X-RateLimit-Remaining.', 15),
    'headers.remaining.bounds': must(
      'X-RateLimit-Remaining is at least 0 and at most X-RateLimit-Limit.',
      15,
    ),
    'headers.remaining.counts': must(
      'A served request counts: its response has less X-RateLimit-Remaining than ' +
        'X-RateLimit-Limit.',
      18,
    ),
    'headers.remaining.falls': must(
      'A served request lowers X-RateLimit-Remaining by one, not more.',
      18,
    ),
    'headers.remaining.rises': must(
      'X-RateLimit-Remaining falls with each request, and rises only when a window ends.',
      17,
    ),
  }),
  ...under('Limits, Rate limit headers, X-RateLimit-Reset', {
    'headers.reset': must('Every response has X-RateLimit-Reset.', 15),
    'headers.reset.seconds': must('X-RateLimit-Reset is a Unix timestamp in seconds.', 15),
    'headers.reset.ahead': must(
      'X-RateLimit-Reset is not in the past, and at most two windows ahead.',
      15,
    ),
    'headers.reset.kept': should('X-RateLimit-Reset does not move back before it is reached.', 17),
  }),
  ...under('Limits, Rate limit headers', {
    'headers.date': should('A response has a `Date`, which advances with the time.', 27),
    'headers.form': must('Each rate-limit header is one decimal integer.', 15),
    'headers.elsewhere': should(
      'Responses for unknown addresses, and from the HTTP server, have the three headers too.',
      1,
    ),
    'headers.window': open('Whether the headers describe the minute or the day.', 16),
    'headers.agree': must(
      'The three rate-limit headers of a response describe the same window.',
      16,
    ),
  }),
  ...under('Limits, Rules 1', {
    'limits.429': must('A request that exceeds the rate limit gets 429.', 19),
    'limits.not-early': must('No request is refused while X-RateLimit-Remaining is above 0.', 17),
    'limits.no-effect': must('A refused request has no effect.', {
      ruling: 19,
      coveredBy: 'create.refused-no-trace',
    }),
  }),
  ...under('Limits, Request limits by plan', {
    'limits.not-late': must("No more requests are served in a window than the plan's number.", 17),
    'limits.window-ends': must('A window lasts a minute or a day, not longer or shorter.', 17),
    'limits.one-count': must(
      'All requests of a key share one count, whatever the operation, connection, query or header.',
      18,
    ),
    'limits.which-count': open(
      'Whether a request that gets 400, 401, 404 or 429 uses up quota.',
      18,
    ),
    'limits.algorithm': open('The algorithm of the limiter, and when its windows begin.', 17),
    'gap.load': open('How fast the service responds, and how much load it handles.'),
  }),
  ...under('Limits, Rules 2', {
    'retry-after.present': must('A 429 has Retry-After.', 19),
    'retry-after.true': must('After the time in Retry-After a request is served.', 19),
    'retry-after.excess': should('The time in Retry-After is not much longer than needed.', 19),
    'limits.backoff': must('The client backs off exponentially.', {
      untestable: 'It is about clients, and petvet is the client.',
    }),
  }),
  ...under('Limits, Rules 3', {
    'ban.only-repeated': must('Only repeated requests after a 429 lead to a ban.', 20),
    'ban.ends': must('A ban is temporary.', 20),
    'ban.own-key': must('A ban blocks no other key.', 21),
    'ban.retry-after': should('Responses during a ban have Retry-After.', 20),
    'gap.ban-look': open('After how many refusals a ban begins, and its status.', 20),
  }),
  ...under('Limits, Rules 4', {
    'limits.upgrade': must('Higher limits come from a plan upgrade.', {
      untestable: 'Plans change in the dashboard; no operation shows it.',
    }),
    'limits.enterprise-set': must('Enterprise quotas are set case by case.', {
      untestable: 'They are agreed outside the interface.',
    }),
  }),
  ...under('Limits, Rules 5', {
    'gap.retry-after-form': open('The form of Retry-After.', 19),
    'gap.ban-duration': open('The duration of a ban.', 20),
  }),
  ...under('Limits, Parameter bounds', {
    'bounds.limit': must('`limit` is an integer from 1 to 100, default 20.'),
  }),
}
