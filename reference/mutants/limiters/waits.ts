// Faults of Retry-After: not there, no time, a time that is not true, a time beyond all measure.
import type { Variant } from '../../compose.ts'
import type { Mutant } from '../../mutant.ts'
import { onOperation, onStatus, without } from '../over.ts'

/** Another value of Retry-After, from the wait in milliseconds and the time. */
const saying = (value: (waitMs: number, nowMs: number) => string): Variant => ({
  parts: () => ({ retryAfter: value }),
})

const seconds = (waitMs: number): number => Math.max(1, Math.ceil(waitMs / 1000))

const formless = (
  id: string,
  fault: string,
  value: (waitMs: number, nowMs: number) => string,
): Mutant => ({
  id: `retry-after-${id}`,
  breaks: 'retry-after.present',
  caughtBy: 'retry-after-present',
  fault,
  ...saying(value),
})

const present: readonly Mutant[] = [
  {
    id: 'retry-after-missing',
    breaks: 'retry-after.present',
    caughtBy: 'retry-after-present',
    fault: 'The library leaves Retry-After to whoever uses it.',
    ...onStatus(429, without('Retry-After')),
  },
  {
    id: 'retry-after-missing-on-creations',
    breaks: 'retry-after.present',
    caughtBy: 'retry-after-present',
    fault: 'Writes are refused in front of the code that says how long to wait.',
    ...onOperation('createPet', (answer, request, parts) =>
      answer.status === 429 ? without('Retry-After')(answer, request, parts) : answer,
    ),
  },
  {
    id: 'retry-after-zero-in-last-second',
    breaks: 'retry-after.present',
    caughtBy: 'retry-after-last-second',
    fault: 'A wait of less than a second is shown as none.',
    ...saying((waitMs) => String(waitMs < 1_000 ? 0 : Math.ceil(waitMs / 1_000))),
  },
  formless('empty', 'The time was not ready when it was printed.', () => ''),
  formless('zero', 'The counter is looked up without its prefix, and has no end.', () => '0'),
  formless('negative', 'The window is subtracted the wrong way round.', (waitMs) =>
    String(-seconds(waitMs)),
  ),
  formless('decimal', 'Milliseconds are divided, and not rounded.', (waitMs) =>
    (waitMs / 1000).toFixed(3),
  ),
  formless(
    'with-unit',
    'The unit is written beside the number.',
    (waitMs) => `${seconds(waitMs)}s`,
  ),
  formless('in-words', 'It is told to people.', () => 'in a minute'),
  formless('iso', 'The date is written as JSON has it.', (waitMs, nowMs) =>
    new Date(nowMs + waitMs).toISOString(),
  ),
  formless(
    'with-sign',
    'A library for numbers writes the sign.',
    (waitMs) => `+${seconds(waitMs)}`,
  ),
  {
    id: 'retry-after-twice',
    breaks: 'retry-after.present',
    caughtBy: 'retry-after-present',
    fault: 'The gateway and the service both send it, and not the same.',
    ...onStatus(429, (answer) => ({
      ...answer,
      headers: { ...answer.headers, 'retry-after': '1' },
    })),
  },
  formless('past-date', 'The date is when the window began.', (waitMs, nowMs) =>
    new Date(nowMs + waitMs - 120_000).toUTCString(),
  ),
  formless(
    'date-in-other-zone',
    'A local time, three hours behind, is labelled GMT.',
    (waitMs, nowMs) => new Date(nowMs + waitMs - 3 * 3_600_000).toUTCString(),
  ),
]

const untrue = (id: string, fault: string, value: (waitMs: number) => number): Mutant => ({
  id: `retry-after-${id}`,
  breaks: 'retry-after.true',
  caughtBy: 'retry-after-served',
  fault,
  ...saying((waitMs) => String(Math.max(1, value(waitMs)))),
})

const short: readonly Mutant[] = [
  untrue('constant-one', 'Retry-After is always 1.', () => 1),
  untrue('half-the-wait', 'Half the wait is said, to spread the callers.', (waitMs) =>
    Math.floor(waitMs / 2_000),
  ),
  untrue('in-minutes', 'The wait is rounded up to minutes, and said without a unit.', (waitMs) =>
    Math.ceil(waitMs / 60_000),
  ),
  untrue(
    'a-second-short',
    'The wait is rounded down, and counted from the second that has begun.',
    (waitMs) => Math.floor(waitMs / 1000) - 1,
  ),
  untrue(
    'two-seconds-short',
    'Two seconds are subtracted for the time on the network.',
    (waitMs) => Math.ceil(waitMs / 1000) - 2,
  ),
  untrue(
    'ten-seconds-short',
    'The time of the cache in between is subtracted.',
    (waitMs) => Math.floor(waitMs / 1000) - 10,
  ),
]

const excessive = (
  id: string,
  fault: string,
  value: (waitMs: number, nowMs: number) => number,
): Mutant => ({
  id: `retry-after-${id}`,
  breaks: 'retry-after.excess',
  caughtBy: 'retry-after-not-excessive',
  fault,
  ...saying((waitMs, nowMs) => String(Math.ceil(value(waitMs, nowMs)))),
})

const long: readonly Mutant[] = [
  excessive('milliseconds', 'The wait is in milliseconds.', (waitMs) => waitMs),
  excessive(
    'epoch',
    'The time of the reset is written, in Unix seconds.',
    (waitMs, nowMs) => (nowMs + waitMs) / 1000,
  ),
  excessive('year', 'A constant of some library stands for `later`: a year.', () => 31_536_000),
  excessive('hour', 'Every refusal asks for an hour.', () => 3_600),
]

export const waitMutants: readonly Mutant[] = [...present, ...short, ...long]
