// Faults of reading a body: texts that are no animal, and are taken for one.
import type { RequirementId } from '../../spec/requirements.ts'
import type { Mutant } from '../mutant.ts'
import { rewriting } from './over-animals.ts'

type Row = readonly [id: string, caughtBy: string, fault: string, change: (text: string) => string]

const animal = '{"name":"","categoryId":1}'

const rows = (breaks: RequirementId, list: readonly Row[]): readonly Mutant[] =>
  list.map(([id, caughtBy, fault, change]) => ({
    id,
    breaks,
    caughtBy,
    fault,
    ...rewriting(change),
  }))

const ofObjects = rows('create.body-object', [
  [
    'body-array-taken',
    'create-body-array-400',
    'Of several animals in a list the first is added.',
    (text) => /^\[(\{[^{}]*\})\]$/.exec(text)?.[1] ?? text,
  ],
  [
    'body-text-taken',
    'create-body-text-400',
    'A text is taken for the name.',
    (text) => (/^"[^"]*"$/.test(text) ? `{"name":${text},"categoryId":1}` : text),
  ],
  [
    'body-null-taken',
    'create-body-null-400',
    'null is an object to the language, one without members.',
    (text) => (text === 'null' ? animal : text),
  ],
])

const ofJson = rows('create.body-json', [
  [
    'body-truncated-taken',
    'create-body-truncated-400',
    'A streaming reader is content once it has the members.',
    (text) => (/^\{[^{}]*$/.test(text) ? `${text}}` : text),
  ],
  [
    'body-words-taken',
    'create-body-words-400',
    'A text that is no JSON is taken for a name.',
    (text) => (/^\w[\w ]+$/.test(text) && text !== 'null' ? animal : text),
  ],
])

const strict = rows('create.strict-json', [
  [
    'body-trailing-comma-taken',
    'create-body-trailing-comma-refused',
    'A lenient parser takes a comma at the end.',
    (text) => text.replace(/,\s*\}$/, '}'),
  ],
  [
    'body-comments-taken',
    'create-body-comment-refused',
    'A lenient parser takes comments.',
    (text) => text.replace(/\/\*[^*]*\*\//, ''),
  ],
  [
    'body-text-after-taken',
    'create-body-text-after-refused',
    'The reader stops at the end of the object, and does not look further.',
    (text) => text.replace(/^(\{[^{}]*\})[^{}]+$/, '$1'),
  ],
  [
    'body-yaml-taken',
    'create-body-unquoted-member-400',
    'The body is read as YAML, which needs no quotes.',
    (text) => text.replace(/([{,])\s*(name)\s*:/, '$1"$2":'),
  ],
])

export const bodyMutants: readonly Mutant[] = [...ofObjects, ...ofJson, ...strict]
