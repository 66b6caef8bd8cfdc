// Quotas per plan, the three headers, 429, Retry-After and bans.
import { must, open, should } from '../sentence.ts'

const plans = 'Request limits by plan'
const headers = 'Rate limit headers'

export const limits = {
  'limits.free': must(`${plans}, Free`, 'Free: 60 requests a minute, 1,000 a day.'),
  'limits.pro': must(`${plans}, Pro`, 'Pro: 300 requests a minute, 10,000 a day.'),
  'limits.business': must(
    `${plans}, Business`,
    'Business: 1,000 requests a minute, 100,000 a day.',
  ),
  'limits.enterprise': must(`${plans}, Enterprise`, 'Enterprise: as agreed.'),

  'headers.limit': must(`${headers}, X-RateLimit-Limit`, 'Every response has X-RateLimit-Limit.'),
  'headers.limit.plan': must(
    `${headers}, X-RateLimit-Limit`,
    'X-RateLimit-Limit is the number of the plan, per minute or per day.',
  ),
  'headers.remaining': must(
    `${headers}, X-RateLimit-Remaining`,
    'Every response has X-RateLimit-Remaining.',
  ),
  'headers.remaining.bounds': must(
    `${headers}, X-RateLimit-Remaining`,
    'Remaining is at least 0 and at most Limit.',
  ),
  'headers.remaining.counts': must(
    `${headers}, X-RateLimit-Remaining`,
    'A served request counts: after it fewer than Limit remain.',
  ),
  'headers.remaining.falls': must(
    `${headers}, X-RateLimit-Remaining`,
    'A served request takes one from Remaining, not more.',
  ),
  'headers.remaining.rises': must(
    `${headers}, X-RateLimit-Remaining`,
    'Remaining falls with the calls, and rises only as their window ends.',
  ),
  'headers.reset': must(`${headers}, X-RateLimit-Reset`, 'Every response has X-RateLimit-Reset.'),
  'headers.reset.seconds': must(
    `${headers}, X-RateLimit-Reset`,
    'Reset is a Unix timestamp in seconds.',
  ),
  'headers.reset.ahead': must(
    `${headers}, X-RateLimit-Reset`,
    'Reset is not in the past, and at most two windows ahead.',
  ),
  // What the algorithm does to Reset is open (ruling 17); that it is not to and fro is prudence.
  'headers.reset.kept': should(
    `${headers}, X-RateLimit-Reset`,
    'Reset, once stated, does not move back before it has come.',
  ),
  'headers.date': should(headers, '`Date`, where it is sent, advances as the time does.'),
  'headers.form': must(headers, 'Each of the three is one integer in decimal.'),
  'headers.elsewhere': should(
    headers,
    'Answers at addresses nobody named, and from below the API, carry the three headers too.',
  ),
  'headers.window': open(headers, 'Which window the headers describe: the minute or the day.'),
  'headers.agree': must(headers, 'Limit, Remaining and Reset describe the same window.'),

  'limits.429': must('Rules 1', 'The request that exceeds the limit gets 429.'),
  'limits.not-early': must('Rules 1', 'No request is refused while requests remain.'),
  'limits.not-late': must('Rules 1', 'No more than the number of the plan is served.'),
  'limits.window-ends': must('Rules 1', 'A window lasts as long as it is called: a minute, a day.'),
  'limits.one-count': must(
    'Rules 1',
    'All calls of a key share one count, whatever the operation, connection, query or header.',
  ),
  'limits.no-effect': must('Rules 1', 'A refused request has no effect.'),
  'limits.which-count': open('Rules 1', 'Whether 4xx, 401 and 429 responses count.'),
  'limits.algorithm': open('Rules 1', 'How the windows lie.'),
  'retry-after.present': must('Rules 2', 'A 429 has Retry-After.'),
  'retry-after.true': must('Rules 2', 'After the stated time the request is served.'),
  'retry-after.excess': should('Rules 2', 'The stated time is not far too long.'),
  'limits.backoff': must('Rules 2', 'The client backs off exponentially.', {
    untestable: 'This binds the client; here the harness is the client.',
  }),
  'ban.only-repeated': must('Rules 3', 'A ban follows repeated requests after a 429 only.'),
  'ban.ends': must('Rules 3', 'A ban is temporary.'),
  'ban.own-key': must('Rules 3', 'A ban is confined to its key.'),
  'ban.retry-after': should('Rules 3', 'Responses during a ban have Retry-After.'),
  'limits.upgrade': must('Rules 4', 'Higher limits come from a plan upgrade.', {
    untestable: 'Plans change in the dashboard; no operation shows it.',
  }),
  'limits.enterprise-set': must('Rules 4', 'Enterprise quotas are set case by case.', {
    untestable: 'They are agreed outside the interface.',
  }),
  'gap.load': open(plans, 'How fast the service responds, and how much load it handles.'),
  'gap.retry-after-form': open('Rules 5', 'The form of Retry-After.'),
  'gap.ban-look': open('Rules 3', 'After how many refusals a ban begins, and how it looks.'),
  'gap.ban-duration': open('Rules 5', 'The duration of a ban.'),

  'bounds.limit': must('Parameter bounds', '`limit` is an integer from 1 to 100, default 20.'),
}
