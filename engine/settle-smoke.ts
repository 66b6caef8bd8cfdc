// The result of the smoke call, and whether the run goes on after it.
import { isSoundList } from './control.ts'
import type { Course } from './course.ts'
import { note, settle } from './course.ts'
import { told } from './expect.ts'
import { Untested, Violation } from './outcome.ts'
import type { Judged } from './result.ts'
import type { Smoke } from './smoke.ts'
import { smokeId } from './smoke.ts'

/** The smoke call as a question of its own; it has been asked before all others. */
const smokeQuestion: Judged = { id: smokeId, requirement: 'list.success' }

/** Settles the smoke call. @returns whether the run can be held */
export const settleSmoke = (course: Course, found: Smoke): boolean => {
  switch (found.kind) {
    case 'held':
      // Any other wrong answer is judged by the suites.
      if (isSoundList(found.first)) settle(course, smokeQuestion, { kind: 'pass' })
      for (const text of found.notes) note(course, text)
      return true
    case 'astray': {
      const actual = `${told(found.exchange)} (${found.hint})`
      const error = new Violation('200 with a list', actual, [found.exchange])
      settle(course, smokeQuestion, { kind: 'threw', error })
      return false
    }
    case 'blocked':
      course.cut = { because: found.because, why: found.why }
      settle(course, smokeQuestion, {
        kind: 'threw',
        error: new Untested(found.because, found.why),
      })
      return false
    case 'impossible':
      course.impossible = found.why
      return false
  }
}
