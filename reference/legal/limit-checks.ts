// The checks that legal limiters exercise, in groups that several of them share.

export const notMore = ['quota-free', 'limit-not-late'] as const

export const notFewer = ['quota-free', 'limit-not-early'] as const

export const waits = [
  'retry-after-present',
  'retry-after-each-served',
  'count-of-any-call',
  'quota-free',
] as const

export const numbers = [
  'remaining-rises-at-reset',
  'reset-not-moved-back',
  'header-reset-ahead',
] as const

export const days = ['day-quota'] as const

export const forms = ['retry-after-present', 'retry-after-each-served', 'retry-after-form'] as const
