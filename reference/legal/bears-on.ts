// Which checks each legal variant was built for: those that an overstrict or hasty reading would
// let fail at it. The proof holds that each of them was asked there.
import { bearsOnLimits } from './bears-on-limits.ts'

type Bearings = Readonly<Record<string, readonly string[]>>

const badLimits = ['list-limit-zero', 'list-limit-101', 'list-limit-text', 'list-length-most']
const lists = ['list-limit-no-fewer', 'list-limit-default', 'list-animal-as-created']
const unknownIds = ['get-unknown-404', 'get-id-not-truncated', 'get-id-own']
const edgeIds = ['get-id-zero-404', 'get-id-most-404', 'get-id-least-404']

const ofLists: Bearings = {
  'limit-clamped': [...badLimits, 'error-shape'],
  'limit-ignored-if-bad': badLimits,
  'limit-bad-lists-none': badLimits,
  'parameters-refused-422': ['list-limit-zero', 'list-status-other-word', 'error-shape'],
  'status-unknown-empty': ['list-status-other-word', 'list-body-array'],
  'status-unknown-ignored': ['list-status-other-word', 'list-length-most'],
  'status-in-any-case': ['list-status-upper-case', 'list-status-available-only'],
  'last-parameter-counts': ['list-limit-twice', 'list-status-twice', 'list-length-most'],
  'extra-parameters-refused': ['list-parameter-unknown', 'list-parameter-paging'],
  'list-oldest-first': [...lists, 'list-order', 'list-new-animal-found'],
  'list-by-name': [...lists, 'list-order', 'list-new-animal-found'],
  'list-shuffled': [...lists, 'list-order', 'stateful-list-add-fetch'],
  'list-lags-half-a-second': [
    ...['list-new-animal-found', 'list-status-pending-all', 'list-limit-no-fewer'],
    ...['stateful-list-add-fetch', 'create-refused-no-trace'],
  ],
}

const ofBodies: Bearings = {
  'name-empty-refused': ['create-name-empty', 'create-name-blank', 'create-name-extreme-kept'],
  'name-long-refused': ['create-name-101', 'create-name-ordinary-kept'],
  'name-control-refused': ['create-name-control', 'create-name-nul', 'create-name-extreme-kept'],
  'name-surrogate-replaced': ['create-name-lone-surrogate', 'create-name-extreme-kept'],
  'categories-known': ['create-category-unknown', 'create-category-exact', 'create-sound-201'],
  'categories-small': ['create-category-unknown', 'create-sound-201', 'create-values-echoed'],
  'categories-table-of-100': [
    ...['create-category-unknown', 'create-sound-201', 'create-values-echoed'],
    ...['list-limit-no-fewer', 'get-animal-as-created', 'create-other-fault-400'],
  ],
  'categories-scattered': ['create-category-unknown', 'error-shape'],
  'categories-positive': ['create-category-zero', 'create-category-negative'],
  'categories-spelled-freely': ['create-category-point-zero', 'create-category-exponent'],
  'categories-spelled-as-doubles': [
    ...['create-category-point-zero', 'create-category-never-changed', 'create-category-exact'],
  ],
  'extra-members-refused': ['create-member-extra', 'create-id-sent-ignored'],
  'id-in-body-refused': ['create-id-sent-ignored', 'create-id-taken-ignored', 'create-id-sent'],
  'repeated-members-refused': ['create-name-twice'],
  'first-of-repeated-members-counts': ['create-name-twice', 'create-refused-no-trace'],
  'status-null-is-none': ['create-status-null', 'create-status-default', 'pet-status-listed'],
  'media-type-any': ['create-media-type-text', 'create-media-type-none', 'answer-no-5xx'],
  'media-type-400': ['create-media-type-text', 'create-charset-utf8-201'],
  'body-read-leniently': ['create-body-invalid-utf8-400', 'create-refused-no-trace'],
  'body-at-most-16-kb': ['create-body-large-refused', 'create-body-deep-refused'],
  'creations-refused-where-open': [
    ...['create-name-empty', 'create-category-zero', 'create-status-null', 'create-member-extra'],
    ...['create-id-sent-ignored', 'create-name-extreme-kept', 'create-hundredth-201'],
    ...['list-length-most', 'list-limit-no-fewer'],
  ],
  'creations-refused-but-for-few-categories': [
    ...['create-category-unknown', 'create-hundredth-201', 'list-length-most'],
    ...['list-limit-no-fewer', 'create-refused-no-trace'],
  ],
}

const ofKeys = [
  ...['list-limit-no-fewer', 'list-status-sold-all', 'list-animal-as-created', 'pet-stays-oldest'],
  ...['get-animal-as-created', 'get-id-own', 'get-id-not-truncated', 'stateful-list-add-fetch'],
  ...['create-refused-no-trace', 'count-across-operations', 'pet-stays-over-time'],
  ...['get-after-removal-gone', 'list-after-removal-200', 'auth-animals-by-key'],
]

const ofAnimals: Bearings = {
  'animals-of-each-key': ofKeys,
  'animals-of-each-plan': ofKeys,
  'ids-small': [...unknownIds, 'auth-existing-or-unknown-same-401'],
  'ids-from-zero': [...unknownIds, 'get-id-zero-404'],
  'ids-falling-below-zero': [...unknownIds, 'errors-unknown-animal-404', 'pet-id-int64'],
  'ids-from-least-on': [...unknownIds, 'get-id-least-404', 'pet-id-int64'],
  'ids-scattered': [...unknownIds, ...edgeIds, 'create-ids-all-distinct', 'pet-id-int64'],
  'store-in-file-format': ['create-category-exact', 'create-name-ordinary-kept', 'get-id-own'],
  'status-default-none': ['create-status-omitted-201', 'create-status-default', 'pet-fields'],
  'status-default-pending': ['create-status-default', 'list-status-pending-only', 'pet-fields'],
  'status-default-sold': [
    'create-status-default',
    'list-status-sold-only',
    'get-animal-as-created',
  ],
  'json-escaped': ['body-strict-json', 'create-name-ordinary-kept', 'create-values-echoed'],
  'json-spaced-and-turned': ['body-strict-json', 'create-category-exact', 'list-body-array'],
  'members-more-than-named': ['pet-fields', 'create-values-echoed', 'list-body-array'],
  'members-long': ['list-body-array', 'create-sound-201', 'body-strict-json', 'pet-fields'],
  'created-with-location': ['create-sound-201'],
  'pet-id-spelled-freely': [
    ...['get-id-leading-zeros', 'get-id-plus', 'get-id-point-zero', 'get-id-fraction-refused'],
  ],
  'pet-id-unreadable-404': ['get-id-word-refused', 'get-id-beyond-int64-refused'],
  'pet-id-unreadable-422': ['get-id-word-refused', 'get-id-beyond-int64-refused'],
}

const gone = ['get-after-removal-gone', 'version-deprecated-until-removal']

const ofRemoval: Bearings = {
  'removed-404': gone,
  'removed-501': [...gone, 'answer-no-5xx'],
  'removed-with-announcements': [...gone, 'get-sunset-header-date', 'get-deprecation-header-date'],
  'removed-at-the-end-of-the-day': [...gone, 'get-last-evening-200'],
  'removed-at-noon': [...gone, 'get-last-evening-200'],
}

const present = ['header-limit-present', 'header-remaining-present', 'header-reset-present']

const ofHeaders: Bearings = {
  'headers-lower-case': [...present, 'body-media-type-json', 'auth-401-challenge'],
  'headers-of-the-draft-beside': [...present, 'header-limit-integer'],
  'headers-without-key-zero': [...present, 'header-limit-of-plan', 'header-remaining-bounds'],
  'headers-without-key-of-address': [...present, 'header-limit-of-plan'],
  'headers-reset-rounded-down': ['header-reset-ahead', 'remaining-rises-at-reset'],
  'headers-no-date': ['header-reset-unix-seconds', 'header-limit-of-plan'],
  'headers-connection-close': [
    ...['auth-no-key-none-served', 'list-sound-200', 'response-own-in-a-row'],
  ],
  'headers-refusal-closes': [
    ...['auth-connection-list-401', 'auth-missing-list-401', 'response-own-in-a-row'],
  ],
  'headers-charset': ['body-media-type-json'],
  'headers-many-others': [...present, 'error-no-internals'],
  'headers-coding-negotiated': ['body-coding-identity', 'body-strict-json', 'list-body-array'],
  'headers-coding-brotli': ['body-strict-json', 'create-sound-201', 'error-shape'],
  'headers-coding-deflate': ['body-strict-json', 'create-sound-201', 'error-shape'],
  'headers-challenge-with-realm': ['auth-401-challenge'],
  'headers-strange-keys-refused-below': [...present, 'error-shape', 'body-media-type-json'],
  'headers-no-deprecation': ['get-deprecation-sent'],
  'headers-deprecation-only': ['get-deprecation-header-date', 'get-deprecation-sent'],
  'answers-slow': ['remaining-falls-by-one', 'limit-not-early'],
}

const ofConnections: Bearings = {
  'responses-out-of-order': [
    ...['response-own-together', 'response-own-key', 'create-together-distinct-ids'],
  ],
  'requests-one-at-a-time': ['response-own-together', 'create-together-distinct-ids'],
  'status-default-in-turn': ['response-own-in-a-row', 'create-status-default'],
}

const shape = ['error-shape', 'error-code-string', 'error-message-string']

const ofErrors: Bearings = {
  'errors-other-codes': [...shape, 'error-code-stable', 'error-codes'],
  'errors-empty-message': shape,
  'errors-extra-members': shape,
  'errors-numbered': ['error-code-stable', 'auth-existing-or-unknown-same-401'],
  'errors-link-to-pages': ['error-no-internals'],
  'errors-repeat-request': ['error-no-internals', 'auth-401-repeats-no-key'],
  'errors-other-text-for-bad-keys': ['error-code-stable', 'auth-existing-or-unknown-same-401'],
  'errors-no-shape-429': ['error-shape'],
}

const methods = ['method-put-list-refused', 'method-delete-animal-refused']

const ofAddresses: Bearings = {
  'addresses-known-before-keys': ['address-nonsense-not-2xx', ...methods, 'error-shape-elsewhere'],
  'addresses-closed': ['address-store-4xx', 'address-nonsense-not-2xx', ...methods],
  'addresses-slash-at-end': ['address-slash-at-end', 'address-slash-doubled', 'address-upper-case'],
  'addresses-redirected': ['address-slash-at-end', 'headers-elsewhere-present'],
  'methods-not-implemented': [...methods, 'answer-no-5xx'],
  'methods-as-404': methods,
  'methods-allow-more': ['method-405-allow', ...methods],
  'methods-head-and-options': ['method-head-list', 'method-options-list', ...present],
}

const described = ['description-limit-bounds', 'description-operation-ids']

const ofDescriptions: Bearings = {
  'description-openapi-3-0': [...described, 'description-status-values'],
  'description-exclusive-bounds': ['description-limit-bounds'],
  'description-prefix-in-paths': [...described, 'description-pet-id-int64'],
  'description-marks-stability': ['description-stability-values', 'description-stability'],
  'description-of-python': [...described, 'description-status-values', 'description-scheme-bearer'],
  'description-values-as-constants': ['description-status-values'],
  'description-split-over-files': ['description-version-1-0-0', 'description-limit-bounds'],
  'description-list-of-types': ['description-scheme-bearer', 'description-pet-id-int64'],
}

/** By the id of the variant: ids of checks. */
export const bearsOn: Bearings = {
  ...ofLists,
  ...ofBodies,
  ...ofAnimals,
  ...ofRemoval,
  ...ofHeaders,
  ...ofConnections,
  ...ofErrors,
  ...ofAddresses,
  ...ofDescriptions,
  ...bearsOnLimits,
}
