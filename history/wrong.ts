// What is wrong with a response, as data: headlines are made of it.
import type { RequirementId } from '../spec/requirements.ts'
import type { Statuses } from './statuses.ts'
import type { Text } from './text.ts'
import type {
  describeChange,
  describeForm,
  describeShape,
  describeTimeForm,
  Unreadable,
} from './value-kinds.ts'

/** In which way it is wrong; as a text only printed, and never decided by. */
export type Kind =
  | ReturnType<typeof describeChange | typeof describeForm | typeof describeTimeForm>
  | ReturnType<typeof describeShape>
  | Unreadable
  | 'an Error'
  // Of a header.
  | (
      | 'given twice'
      | 'no date'
      | 'not an HTTP-date'
      | 'another date'
      | 'off'
      | 'in the past'
      | 'too far ahead'
    )
  | ('not in the future' | 'too long' | 'too low' | 'not 0' | 'above Limit' | 'not below Limit')
  | ('that of another plan' | 'of no window' | 'without Bearer' | `without ${string}`)
  | ('falls by more than one' | 'does not fall' | 'does not rise after its Reset' | 'moves back')
  | 'one count for two keys'
  // Of a body, or a member in it.
  | ('no object' | 'no array of objects' | 'reveals internals' | 'repeats the key')
  | ('unlike that for a known pet' | 'another number' | 'no such value' | 'repeated' | 'as sent')
  | ('not of the filter' | 'another one, the same as a double')
  // Of a number of pets, or of several responses.
  | ('too many' | 'too few' | 'a pet is missing' | 'pets are repeated' | 'a refused pet is stored')
  | ('too many served' | 'refilled too soon' | 'counted apart' | 'unlike alone')
  | 'on some connections'

/** What is wrong with the last response of the evidence, as data. */
export interface Wrong {
  /**
   * The part of a response that is wrong; `silence`: no response, while a control request gets one;
   * `count`: of pets in a list; `behaviour`: several responses taken together.
   */
  readonly aspect: 'status' | 'silence' | 'header' | 'body' | 'member' | 'count' | 'behaviour'
  /** The member or header. */
  readonly name?: string
  readonly kind?: Kind | Text
  /** How many pets are too many or too few. */
  readonly by?: 'one' | 'several'
  /** Of a wrong status, or of silence: the statuses that were due, and what is said of them. */
  readonly due?: Statuses
  readonly why?: Text
  /** What a headline shows of what was found: of a response without its body. */
  readonly brief?: Text
  /** The response has that: a body that cannot be read. */
  readonly has?: true
  /** The parameter of the request that `expected` names already. */
  readonly says?: 'limit' | 'status'
  /** It is about the calls of a key, and not about what was requested. */
  readonly ofKey?: true
  /** It is about a pet that the first exchange of the evidence created. */
  readonly ofPet?: true
  /** The requirement that is violated, where it is not that of the check. */
  readonly requirement?: RequirementId
  /** The evidence is a sequence of requests, without which the last one gets another response. */
  readonly inSequence?: true
}
