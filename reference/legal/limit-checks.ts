// The checks that legal limiters exercise, in groups that several of them share.

export const notMore = ['quota-free-not-more', 'quota-each-key-not-more', 'limit-not-late'] as const

export const notFewer = [
  'quota-free-not-fewer',
  'quota-each-key-not-fewer',
  'limit-not-early',
] as const

export const waits = [
  'retry-after-present',
  'retry-after-served',
  'window-rested-served',
  'window-not-shorter',
] as const

export const numbers = [
  'remaining-rises-at-reset',
  'reset-not-moved-back',
  'header-reset-ahead',
] as const

export const days = ['day-quota-not-more', 'day-quota-not-fewer', 'day-refusal-own-window'] as const

export const forms = ['retry-after-present', 'retry-after-served', 'retry-after-form'] as const
