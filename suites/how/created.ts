// How creations that are sound, or that the interface leaves open, are judged.
import { afterSound, type Tellings, tellings } from '../../engine/telling.ts'

const hindsight = 'Sends nothing: it looks at all creations of the run'

/** Open questions about one member, by what the body has. */
const members: Readonly<Record<string, string>> = {
  'create-name-empty': 'whose `name` is empty',
  'create-name-blank': 'whose `name` is three spaces',
  'create-name-101': 'whose `name` has 101 characters',
  'create-name-very-long': 'whose `name` has 5,000 characters',
  'create-name-control': 'whose `name` has a tab and other control characters',
  'create-name-nul': 'whose `name` has a NUL inside',
  'create-name-lone-surrogate': 'whose `name` has half of a surrogate pair',
  'create-category-zero': 'whose `categoryId` is 0',
  'create-category-negative': 'whose `categoryId` is -1',
  'create-category-least': 'whose `categoryId` is -2^63',
  'create-category-point-zero': 'with a usable `categoryId` written as `1.0`',
  'create-category-exponent': 'with a usable `categoryId` written as `1e0`',
  'create-status-null': 'whose `status` is null',
  'create-member-extra': 'with a further member `colour`',
}

const ofMembers = Object.fromEntries(
  Object.entries(members).map(([id, way]) => {
    const asks = `One creation ${way}, after a sound one was answered 201.`
    const finds = 'The status; of a 201, whether the member came back as it was sent.'
    return [id, [asks, finds, afterSound.create] as const]
  }),
)

const keptStatuses = Object.fromEntries(
  ['available', 'pending', 'sold'].map((status) => [
    `create-status-${status}-kept`,
    [
      `One creation with the status ${status}.`,
      `Any status but 201, or an animal whose \`status\` is not \`${status}\`.`,
      afterSound.create,
    ] as const,
  ]),
)

const edgeSpaces = Object.fromEntries(
  ['leading', 'trailing'].map((which) => [
    `create-name-${which}-space-kept`,
    [
      `One creation whose name has two ${which} spaces.`,
      'A 201 whose name lacks them. It is a should: trimming is a warning.',
      afterSound.create,
    ] as const,
  ]),
)

export const created: Tellings = tellings({
  ...ofMembers,
  ...keptStatuses,
  ...edgeSpaces,
  'create-category-unknown': [
    'Three creations in random categories that nobody configured: below 2^31, beyond 2^32, and ' +
      'beyond 2^53; two more where only the larger are refused, and the id 1 where all are. It ' +
      'goes first, as it shows which categories all other creations may use.',
    'The status, or each where they differ. After one 400 only configured categories are used, ' +
      'and those that were accepted.',
  ],
  'create-sound-201': [
    '14 creations with generated names, categories and statuses; without a control, as others ' +
      'rest on it.',
    'Any status but 201, or a body that is no animal. A failing body is made smaller.',
  ],
  'create-hundredth-201': [
    'As many sound creations as are missing, with those known, to 101 animals: none or a few ' +
      'where the other creations of a run are taken, up to 41 where all that is open is refused, ' +
      'and up to 101 where it is asked without them.',
    'Any status but 201.',
    afterSound.create,
  ],
  'create-values-echoed': [
    '16 creations with generated names, categories and statuses.',
    'A 201 in which a member that was sent is missing or has another value, digit for digit.',
    afterSound.create,
  ],
  'create-name-ordinary-kept': [
    'Creations with 17 telling names (100 characters of three bytes, emoji, quotes, SQL, both ' +
      'forms of an accent, templates, marks of direction, words that look like another type) ' +
      'and three generated ones.',
    'Any status but 201, or a name that differs in one code point.',
    afterSound.create,
  ],
  'create-category-exact': [
    'Six creations in the categories 2^53+1, 2^63-1, 2^31, 2^32+1, 1 and a generated one.',
    'Any status but 201, or a `categoryId` that comes back with other digits. Or three random ' +
      'ids that nobody configured were accepted and all larger ones refused: such a server looks ' +
      'no category up, its integers are too short.',
    'unknown categories are refused and none beyond 2^31 is configured (category)',
  ],
  'create-category-never-changed': [
    `${hindsight} whose category was written as a plain integer.`,
    'A 201 whose `categoryId` is not the one that was sent.',
    'this run created no animal',
  ],
  'create-status-omitted-201': [
    'One creation without `status`, which is what the control is, too.',
    'Any status but 201.',
  ],
  'create-status-default': [
    `${hindsight} without a status.`,
    'The status that their animals have, or that they have none.',
    'none was created without a status',
  ],
  'create-charset-utf8-201': [
    'One sound creation sent as `application/json; charset=utf-8`.',
    'Any status but 201.',
    afterSound.create,
  ],
  'create-media-type-case-201': [
    'One sound creation sent as `Application/JSON`.',
    'Any status but 201.',
    afterSound.create,
  ],
  'create-body-chunked-201': [
    'One sound creation whose body is sent chunked, without Content-Length.',
    'Any status but 201 and 411.',
    afterSound.create,
  ],
  'create-body-in-two-parts-201': [
    'One sound creation with Content-Length, whose body comes in two parts 50 ms apart.',
    'Any status but 201.',
    afterSound.create,
  ],
  'create-media-type-text': [
    'One sound body sent as `text/plain`.',
    'The status.',
    afterSound.create,
  ],
  'create-media-type-none': [
    'One sound body sent without a `Content-Type`.',
    'The status.',
    afterSound.create,
  ],
  'create-name-twice': [
    'One creation with two members `name`.',
    'The status; of a 201, which of the two names counted.',
    afterSound.create,
  ],
  'create-equal-bodies-two': [
    'The same sound body, sent twice.',
    'One id for both, or any status but 201.',
    afterSound.create,
  ],
  'create-ids-all-distinct': [
    `${hindsight}.`,
    'Two of them with the same id.',
    'fewer than two animals were created',
  ],
  'create-id-sent-ignored': [
    'One creation with an `id` that no animal has, by the seed.',
    'A 201 with that id. A 4xx is as good as an id of the service.',
    afterSound.create,
  ],
  'create-id-taken-ignored': [
    'One creation with the `id` of an animal that exists.',
    'A 201 with that id. A 4xx is as good as an id of the service.',
    afterSound.create,
  ],
  'create-id-sent': [
    `${hindsight} with an \`id\` in the body.`,
    'Whether the id was ignored or the creation refused.',
    'none was sent with an id',
  ],
  'create-name-extreme-kept': [
    `${hindsight} with an extreme name: empty, blank, over 100 characters, control characters.`,
    'A 201 with another name. Refusing such names is legal, and of half a surrogate pair any ' +
      'spelling may come back.',
    'no extreme name was sent',
  ],
})
