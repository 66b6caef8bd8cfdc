// Observed values in a sentence: the values themselves are short, so that runs can be compared.

const sentences: readonly (readonly [RegExp, string])[] = [
  [/^200 with (\d+)$/, 'the status is 200, and the number of pets listed is $1'],
  [/^200 with ([a-z, ]+)$/, 'the status is 200, and the pets listed have the status $1'],
  [/^200 empty$/, 'the status is 200, and no pet is listed'],
  [/^201 kept$/, 'the status is 201, and the value is returned as it was sent'],
  [/^201 changed$/, 'the status is 201, and another value is returned than was sent'],
  [/^201 without (\w+)$/, 'the status is 201, and the pet returned has no member $1'],
  [/^201 with the (first|last)$/, 'the status is 201, and the $1 of the repeated values is stored'],
  [/^201 with neither$/, 'the status is 201, and none of the repeated values is stored'],
  [/^ignored$/, 'the creation is accepted, and the service assigns another id'],
  [/^absent$/, 'a pet that was created without a status is returned without one'],
  [/^Error$/, 'the body is an Error object'],
  [/^other JSON$/, 'the body is JSON, but no Error'],
  [
    /^(\d{3}) counted, (\d{3}) counted$/,
    'requests that get $1 or $2 use up quota; 401 and 429 are not examined',
  ],
  [
    /^(\d{3}) not counted, (\d{3}) not counted$/,
    'requests that get $1 or $2 use up no quota; 401 and 429 are not examined',
  ],
  [/^delta-seconds, until Reset$/, 'a number of seconds, which end at X-RateLimit-Reset'],
  [
    /^not seen: no key requested pets of another$/,
    'only one key was given, or none requested a pet that another one created or listed',
  ],
  [
    /^(\d+) of (\d+) left$/,
    '$1 of $2 calls were left when the key was first served after a 429: nearly all by a fixed ' +
      'window, few by a sliding window or a token bucket',
  ],
  [/^(minute|day)$/, 'the headers describe the quota of the $1'],
]

/** @returns empty for a value that says enough by itself */
export const observedInWords = (value: string): string => {
  const fitting = sentences.find(([pattern]) => pattern.test(value))
  return fitting === undefined ? '' : value.replace(...fitting)
}
