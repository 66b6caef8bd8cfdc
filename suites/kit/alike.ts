// Which exchanges are alike: what the same request draws each time rests on nothing else.
import type { Needs } from './check.ts'
import { type Answered, statusOf } from './exchange.ts'

/** A name of a run holds the run's id and a number. */
const names = /petvet-[\w-]+/g

export interface Alike {
  /** The same for the same request, whatever is answered. */
  readonly request: string
  /** The same where only the animal differs that is spoken of, and it is answered alike. */
  readonly answer: string
  /** The same for the same status, and where that is 200 for the same operation. */
  readonly operation: string
}

/**
 * The names of the run are left out.
 * @param made what the check rests on that asked: what a list shows depends on it
 */
export const alikeOf = (exchange: Answered, made: Needs['made']): Alike => {
  const { asked, key } = exchange
  const { method, body, headers, authorization } = asked
  const place = asked.path.replace(/^\/pets\/\d+$/, '/pets/N')
  const bare = place.replace(/\?.*$/, '')
  const status = statusOf(exchange)
  const sent = typeof body === 'string' ? body.replaceAll(names, 'petvet') : (body?.length ?? '')
  const shared = [method, key === null, made, authorization, headers, sent]
  return {
    request: JSON.stringify([...shared, asked.path]),
    answer: JSON.stringify([...shared, place, status]),
    operation: JSON.stringify([key === null, status, ...(status === 200 ? [method, bare] : [])]),
  }
}
