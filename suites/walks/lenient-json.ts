// Texts that are not JSON, but that a lenient parser takes for it: a should (ruling 1).

import fc from 'fast-check'
import { printJson } from '../../engine/check/json.ts'
import type { BodyFault } from './invalid-requests.ts'

const edited =
  (edit: (text: string) => string): BodyFault =>
  (pet) =>
    edit(printJson(pet))

const comments = ['/* a pet */', '// a pet\n', '# a pet\n']
const afterwards = [' x', '{}', ';', ',', ' null', '\n1', '}', ' // end']

/** A byte that never occurs in UTF-8, in place of a letter of the name. */
const withBadByte: BodyFault = (pet) => {
  const bytes = Buffer.from(printJson(pet))
  bytes[bytes.indexOf('"name":"') + 10] = 0xff
  return bytes
}

/** What JSON5, YAML, or a parser that stops early or replaces bytes makes of a text. */
export const lenientJson: readonly fc.Arbitrary<BodyFault>[] = [
  fc.constant(edited((text) => text.replace(/\}$/, ',}'))),
  ...comments.map((comment) =>
    fc.constantFrom(
      edited((text) => text.replace('{', `{${comment}`)),
      edited((text) => text.replace(/\}$/, `${comment}}`)),
    ),
  ),
  fc.constantFrom(
    ...['name', 'categoryId'].map((name) => edited((text) => text.replace(`"${name}"`, name))),
  ),
  fc.constant(edited((text) => text.replaceAll('"', "'"))),
  fc.constantFrom(...afterwards.map((more) => edited((text) => text + more))),
  ...['0', '+'].map((sign) =>
    fc.constant(edited((text) => text.replace(/("categoryId":)/, `$1${sign}`))),
  ),
  fc.constant(withBadByte),
  fc.constant(edited((text) => text.replace(':', '='))),
  fc.constantFrom(
    ...['\n', '\t'].map((sign) => edited((text) => text.replace(/("name":"[^"]{3})/, `$1${sign}`))),
  ),
]
