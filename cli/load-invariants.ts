// What the suites hold of each answer by itself: in a crowd it is true as well. What they hold of
// answers in a row is not asked, as of a crowd not all are remembered.

import type { Invariant, Question } from '../engine/check.ts'
import { bodies } from '../suites/invariants/bodies.ts'
import { rateLimitHeaders } from '../suites/invariants/rate-limit-headers.ts'

/** It counts the answers of a whole window; the scenarios do so for themselves. */
const inARow: readonly string[] = ['window-served-most']

const isOfEach = (question: Question): question is Invariant =>
  question.kind === 'invariant' && !inARow.includes(question.id)

const all: readonly Question[] = [...rateLimitHeaders, ...bodies]

export const ofEachAnswer: readonly Invariant[] = all.filter(isOfEach)
