// How the verdicts of a load are judged, in plain words.
import { type Tellings, tellings } from '../suites/kit/telling.ts'

const twice =
  'two bursts have to show it where another client may explain one; once alone is left open'
const fewer = `Fewer served than were announced, or than the plan has after a rest; ${twice}.`
const shared = 'others use the keys (shared: true), or Remaining skipped numbers (ambiguous)'
const errors = 'How many requests were not served, and how they ended; any at all is a warning.'

export const loadHow: Tellings = tellings({
  'load-steady-latency': [
    'Requests at 80 % of the quota of one key, at an even pace.',
    'The latency, from the time at which each request was due.',
  ],
  'load-steady-errors': ['The same requests.', errors],
  'load-capacity-knee': [
    'Requests from more and more connections, as many as the quota allows.',
    'The fewest connections that reach nine tenths of the highest rate.',
  ],
  'load-capacity-steps': ['The same requests.', 'Rate and latency at each number of connections.'],
  'load-capacity-errors': ['The same requests.', errors],
  'load-fleet-not-more': [
    'All keys exhausted at the same time, each asked for one call more than it announced.',
    `More served to one of them than any design grants; ${twice}.`,
    shared,
  ],
  'load-fleet-not-fewer': ['The same bursts.', fewer, shared],
  'load-edge-window-not-more': [
    'What a key announces is spent right before its window ends, and a whole minute and more is ' +
      'asked right behind it.',
    'More served in one window, by its Reset, than the plan has and a bucket gives back meanwhile.',
    'the end of the minute is not told (ambiguous)',
  ],
  'load-edge-double-not-more': [
    'The same two bursts.',
    'More than twice the number of the plan served in less than a minute.',
    'the end of the minute is not told (ambiguous)',
  ],
  'load-edge-not-fewer': ['The burst before the edge.', fewer, shared],
  'load-replicas-one-count': [
    'All that a key announces and one call more, each on a connection of its own, to every ' +
      'address ' +
      'of the host in turn.',
    'More served than any design grants, though not so on one connection.',
    'so it is on one connection as well, or a window may have ended in between (ambiguous)',
  ],
  'load-backoff-retry-true': [
    'Clients of one key that ask for one and a half minutes of quota, wait as each refusal told, ' +
      'and keep silent meanwhile.',
    'Twice in a row nobody who waited as told is served. Only with the test clock it is a fail.',
    'nothing was refused, or another client may have been quicker (ambiguous)',
  ],
  'load-backoff-window-ends': [
    'The same clients.',
    'A refusal with fewer calls in the last two minutes than the plan has in one. Only with the ' +
      'test clock it is a fail.',
    'a ban was seen, or another client may have used the key',
  ],
  'load-backoff-through': [
    'The same clients.',
    'How long they took and how often they waited; one that does not get through is a warning.',
  ],
  'load-burst-not-more': [
    'From 1 up to the most connections of --connections, a burst of all that a key announces and ' +
      'more, after a rest, with a key of each plan.',
    `More served than any design grants; ${twice}.`,
    'a burst got no answers any more (ambiguous)',
  ],
  'load-burst-not-fewer': ['The same bursts.', fewer, shared],
  'load-burst-excess-429': [
    'The same bursts.',
    'A request over the limit that is answered anything but 429; beside such a one 401 and 403 ' +
      'may ' +
      'be a ban.',
    'nothing was refused, or another client may have drawn a ban (ambiguous)',
  ],
  'load-burst-no-5xx': [
    'The same bursts.',
    'A 5xx answer, however many ask at once.',
    'a burst got no answers any more (ambiguous)',
  ],
  'load-burst-answered': [
    'The same bursts.',
    'How many requests got no answer or could not be sent; any at all is a warning.',
  ],
  'load-ban-own-key': [
    'One key is exhausted and hammered on in five waves, while another one asks at an even pace ' +
      'within its quota.',
    'The other key is not served.',
    'another client may have used that key (ambiguous)',
  ],
  'load-ban-after-429': [
    'The same.',
    'The first refusal of the hammered key is not a 429.',
    'nothing was refused, or another client may have drawn a ban (ambiguous)',
  ],
  'load-ban-ends': [
    'The hammered key keeps silent as its latest answer tells, and asks; three times at most.',
    'It is refused each time. Only with the test clock it is a fail.',
    'no ban came (inapplicable), or another client may have drawn one (ambiguous)',
  ],
  'load-ban-look': ['The same.', 'After how many refusals the ban came, and with which status.'],
  'load-soak-latency': ['Requests at a low rate over hours.', 'Their latency.'],
  'load-soak-errors': ['The same requests.', errors],
})
