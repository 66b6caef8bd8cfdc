// How it is judged that each response belongs to its own request.
import { afterSound, type Tellings, tellings } from '../../engine/telling.ts'

const alone = 'the same request, asked alone, is not answered as it should be either (blocked)'
const plainLists = 'Every 200 to a list of a valid key that gives at most a limit and a status'
const ownPets = 'of a pet that this run created'

export const ownResponses: Tellings = tellings({
  'response-own-in-a-row': [
    'On one connection, one after another: creations without `categoryId`, of more than 1 MiB ' +
      'without a name, and with a key that was never issued, with valid creations before them; a ' +
      'PUT of the collection; a list with a limit and a status, and one ' +
      'with neither.',
    'A response that is not what its request is answered alone: another status, a refusal of ' +
      'the request before, values that were not sent, a list by the query before.',
    `${afterSound.create}; or ${alone}`,
  ],
  'response-own-together': [
    'At the same time, each on a connection of its own: six valid creations, two of them equal, ' +
      'and one without a name, two lists by status, two fetches and one of an unknown id, a list ' +
      'without a key and a creation with a key that was never issued.',
    'A response that is not what its request is answered alone: another status, values that ' +
      'another request sent, pets by another query, another pet.',
    `${afterSound.create}; or ${alone}`,
  ],
  'create-together-distinct-ids': [
    'The six valid creations of `response-own-together`, sent at the same time.',
    'Two of them with the same id, or any status but 201.',
    afterSound.create,
  ],
  'response-own-key': [
    'With two keys, of different plans where there are such: lists of each in turn on one ' +
      'connection, and at the same time with a creation of each. Before, each is asked alone, ' +
      'and calls of one are spent until Limit or Remaining differ.',
    'Rate-limit headers that are those of the other key, while alone each key has its own.',
    'what the two have left does not differ, or another client may have used a key (ambiguous)',
  ],
  'list-each-within-limit': [
    `${plainLists}, where it gives a limit and pets are shown.`,
    'More pets than the limit.',
  ],
  'list-each-within-default': [
    `${plainLists}, where it gives no limit and pets are shown.`,
    'More than 20 pets.',
  ],
  'list-each-filtered': [
    `${plainLists}, where it gives a status and pets are shown.`,
    'A pet with another status.',
  ],
  'list-each-as-created': [
    `${plainLists}: every pet that this run created before.`,
    'Another name, category or given status than its 201 showed.',
  ],
  'list-each-no-fewer': [
    `${plainLists}, against the pets that its key was shown a second before, or earlier.`,
    'Fewer pets than match, up to the limit; or one that matches is missing, where none is cut.',
    'no list was asked for a second after a pet was known (inapplicable)',
  ],
  'get-each-own-id': ['Every 200 to a fetch with a valid key.', 'A pet with another id.'],
  'get-each-as-created': [
    `Every 200 to a fetch ${ownPets}.`,
    'Another name, category or given status than its 201 showed.',
  ],
  'get-each-known-200': [
    'Every 200 and 404 to a fetch, before the removal of the operation.',
    'A 404 for a pet that its key created before, or was shown a second before.',
    'no pet that was fetched was known by then (ambiguous)',
  ],
  'create-each-echoed': [
    'Every 201 to a creation with a valid key, whose body has one reading only.',
    'Another name, category or status than was sent. Cut ends of a name, and the spelling of ' +
      'half of a surrogate pair, are other checks.',
  ],
})
