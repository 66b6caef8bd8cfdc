// Which checks each legal limiter was built for: those that an overstrict or hasty reading would
// let fail at it.

const notMore = [
  'quota-free-not-more',
  'quota-each-key-not-more',
  'limit-not-late',
  'window-served-most',
]
const notFewer = ['quota-free-not-fewer', 'quota-each-key-not-fewer', 'limit-not-early']
const waits = [
  'retry-after-present',
  ...['retry-after-served', 'window-rested-served', 'window-not-shorter'],
]
const numbers = ['remaining-rises-at-reset', 'reset-not-moved-back', 'header-reset-ahead']
const days = ['day-quota-not-more', 'day-quota-not-fewer', 'day-refusal-own-window']
const counts = [
  'remaining-shows-own-call',
  ...['count-across-operations', 'count-across-connections', 'count-across-queries'],
]
const steady = ['count-kept-after-errors', 'window-steady-served', 'window-hour-later-served']
const checked = [...notMore, ...notFewer, ...waits, ...numbers, ...counts]
const design = [...checked, ...steady, 'limiter-design']

const rounded = ['header-reset-ahead', 'retry-after-served', 'window-not-shorter', ...notMore]
const bans = [
  ...['ban-look', 'ban-own-key', 'ban-ends', 'ban-not-first', 'ban-not-first-after-bans'],
  'ban-creation-no-effect',
]
const notError = ['refusal-body', 'error-shape', 'body-strict-json']
const forms = ['retry-after-present', 'retry-after-served', 'retry-after-form']

/** By the id of the variant: ids of checks. */
export const bearsOnLimits: Readonly<Record<string, readonly string[]>> = {
  'limiter-window-from-first-call': ['retry-after-last-second', ...design, ...days],
  'limiter-log-reset-oldest': [...design, ...days],
  'limiter-log-reset-newest': [...design, ...days],
  'limiter-sliding-counter': [...design, ...days],
  'limiter-bucket-reset-full': [...design, ...days],
  'limiter-bucket-reset-next': [...design, ...days],
  'limiter-bucket-reset-next-one': [...design, ...days],
  'limiter-bucket-in-tenths': [...design, ...days],
  'limiter-headers-of-the-day': [
    ...['header-limit-of-plan', 'headers-window', 'refusal-remaining-zero', 'limit-not-early'],
    ...['remaining-rises-at-reset', ...days],
  ],
  'limiter-headers-of-the-minute': ['header-limit-of-plan', 'headers-window', ...days],
  'limiter-counter-reset-next-call': design,
  'limiter-refusals-free': ['answers-that-count', 'remaining-falls-by-one', ...notFewer],
  'limiter-refusals-logged': ['answers-that-count', ...notFewer, ...waits],
  'limiter-refusal-begins-anew': ['reset-not-moved-back', 'window-rested-served', ...notFewer],
  'limiter-never-bans': ['ban-look', 'ban-duration', 'quota-excess-429'],
  'limiter-minute-from-second-17': [
    'retry-after-last-second',
    'limiter-design',
    'window-not-shorter',
    ...notMore,
  ],
  'limiter-day-of-another-zone': days,
  'limiter-day-from-first-call': days,
  'limiter-to-the-millisecond': ['retry-after-last-second', ...rounded, 'retry-after-present'],
  'limiter-bucket-and-day-of-clock': [...notMore, ...notFewer, ...days],
  'limiter-reset-rounded-down': ['retry-after-last-second', ...rounded],
  'limiter-reset-a-second-later': ['retry-after-last-second', ...rounded],
  'limiter-log-reset-rounded-down': rounded,
  'limiter-bucket-reset-rounded-down': rounded,
  'limiter-reset-flips-by-a-second': ['reset-not-moved-back', 'count-across-queries', ...notMore],
  'ban-as-403': [...bans, 'quota-excess-429', 'error-shape'],
  'ban-as-401': [...bans, 'quota-excess-429', 'auth-401-challenge'],
  'ban-as-401-of-nobody': [...bans, 'header-limit-of-plan'],
  'ban-as-403-untold': [...bans, 'ban-duration'],
  'ban-after-two-refusals': [...bans, 'retry-after-served'],
  'ban-of-five-seconds': ['ban-look', 'ban-duration', 'ban-not-first'],
  'ban-after-fifty': ['ban-look', 'ban-duration', 'ban-not-first'],
  'ban-after-thirty-as-401': [...bans, 'ban-retry-after'],
  'ban-of-a-log': bans,
  'ban-of-a-bucket': bans,
  'ban-for-refusals-of-the-day': ['ban-look', 'ban-own-key', 'ban-ends', 'ban-not-first'],
  'ban-of-three-days': [...bans, 'ban-duration'],
  'ban-of-an-hour': [...bans, 'ban-retry-after', 'header-reset-ahead'],
  'ban-prolonged-by-knocking': [...bans, 'ban-retry-after'],
  'ban-doubling': bans,
  'retry-after-some-seconds-later': ['retry-after-not-excessive', ...forms],
  'retry-after-jittered': ['retry-after-not-excessive', ...forms],
  'retry-after-full-minute': ['retry-after-not-excessive', ...forms],
  'retry-after-with-zeros': forms,
  'limiter-retry-after-date': forms,
  'retry-after-date-of-rfc-850': forms,
  'retry-after-date-of-log': forms,
  'retry-after-date-of-bucket': forms,
  'refusal-body-of-one-word': notError,
  'refusal-body-of-other-members': notError,
  'refusal-body-empty-object': notError,
  'refusal-with-draft-headers': ['retry-after-present', 'header-limit-integer'],
  'answers-all-with-retry-after': ['retry-after-served', 'ban-look'],
  'refusal-closes-connection': ['quota-excess-429', 'quota-free-not-more', 'ban-look'],
  'answers-late-by-chance': ['remaining-falls-by-one', 'limit-not-early', ...notMore],
  'requests-late-by-chance': ['remaining-falls-by-one', 'limit-not-early', ...notMore],
  'refusals-slow': ['quota-excess-429', 'retry-after-served', 'retry-after-present'],
  'date-stands-still-alone': [...numbers, 'date-advances', 'retry-after-served'],
  'date-twice-as-fast-alone': [...numbers, 'date-advances', 'retry-after-served'],
  'date-runs-wild-alone': [...numbers, 'date-advances', 'retry-after-served'],
  'date-of-another-clock-alone': [...numbers, 'date-advances', 'retry-after-served'],
  'date-hours-behind': [...numbers, 'date-advances'],
  'date-minutes-ahead': [...numbers, 'date-advances'],
  'date-kept-for-two-seconds': [...numbers, 'date-advances', 'window-not-shorter'],
  'date-kept-for-eight-seconds': [...numbers, 'date-advances', 'window-not-shorter'],
  'keyless-calls-limited': ['auth-missing-list-401', 'isolation-invalid-key-free'],
}
