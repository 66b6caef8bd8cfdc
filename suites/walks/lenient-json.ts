// Texts that are not JSON, but that a lenient parser takes for it: a should (ruling 1).

import fc from 'fast-check'
import { printJson } from '../../engine/check/json.ts'
import type { BodyFault } from './faults.ts'

const edited = (edit: (text: string) => string): BodyFault => {
  return (pet) => edit(printJson(pet))
}

const afterwards = fc.constantFrom(' x', '{}', ';', ',', ' null', '\n1', '}', ' // end')
const comments = fc.constantFrom('/* a pet */', '// a pet\n', '# a pet\n')

/** What JSON5, YAML, a template or a parser that stops early makes of a text. */
export const lenientJson: readonly fc.Arbitrary<BodyFault>[] = [
  fc.constant(edited((text) => text.replace(/\}$/, ',}'))),
  comments.map((comment) => edited((text) => text.replace('{', `{${comment}`))),
  comments.map((comment) => edited((text) => text.replace(/\}$/, `${comment}}`))),
  fc
    .constantFrom('name', 'categoryId')
    .map((name) => edited((text) => text.replace(`"${name}"`, name))),
  fc.constant(edited((text) => text.replaceAll('"', "'"))),
  afterwards.map((more) => edited((text) => text + more)),
  fc
    .constantFrom('0', '+')
    .map((sign) => edited((text) => text.replace(/("categoryId":)/, `$1${sign}`))),
  fc.constant(edited((text) => text.replace(':', '='))),
  fc
    .constantFrom('\n', '\t')
    .map((sign) => edited((text) => text.replace(/("name":"[^"]{3})/, `$1${sign}`))),
]
