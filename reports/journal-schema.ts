// The form of each line of a journal and of the exchanges beside it, as JSON Schemas.
import { noAnswerWords } from '../engine/no-answer.ts'
import runSchema from './run.schema.json' with { type: 'json' }

const { $defs } = runSchema

const object = (
  properties: Readonly<Record<string, object>>,
  optional: Readonly<Record<string, object>>,
) => ({
  type: 'object',
  required: Object.keys(properties),
  properties: { ...properties, ...optional },
  $defs,
})

const text = { type: 'string', maxLength: 100_000 }
const orNull = (schema: object) => ({ anyOf: [{ type: 'null' }, schema] })
const texts = { type: 'array', maxItems: 10_000, items: text }
const count = { type: 'integer', minimum: 0, maximum: 100_000_000 }
/** Monotonic, or Unix, milliseconds. */
const time = { type: 'number', minimum: 0, maximum: 1e14 }
const hex = { type: 'string', pattern: '^[0-9a-f]{1,64}$' }
const instant = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT[\\d:.]{8,12}Z$' }
const permissions = { type: 'array', items: { enum: ['write', 'exhaust', 'ban', 'day'] } }

const key = {
  type: 'object',
  required: ['label', 'plan', 'quota', 'use', 'print'],
  properties: {
    ...{ label: text, plan: text, use: { enum: ['ban', null] }, print: hex },
    quota: {
      type: 'object',
      required: ['perMinute', 'perDay'],
      properties: { perMinute: count, perDay: count },
    },
  },
}

/** By `kind`. */
export const entrySchemas: Readonly<Record<string, object>> = {
  command: object({ only: orNull(texts), skip: orNull(texts) }, { again: { type: 'object' } }),
  head: object(
    {
      ...{ form: count, petvet: text, runId: hex, seed: { type: 'integer' }, salt: hex },
      ...{ startedAt: instant, nowMs: time, baseUrl: text, clockUrl: orNull(text) },
      ...{ descriptionUrl: orNull(text), categories: texts, allow: permissions },
      ...{ shared: { type: 'boolean' }, strict: { type: 'boolean' }, maxRequests: count },
      ...{ answerTimeoutMs: time, headers: hex, questions: texts },
      keys: { type: 'array', minItems: 1, maxItems: 1_000, items: key },
    },
    {},
  ),
  sitting: object({ at: instant, nowMs: time }, {}),
  start: object({ clockMs: time }, {}),
  check: object({ id: text, nowMs: time }, {}),
  sending: object(
    { seq: count, check: text, key: orNull(text) },
    { from: { const: 'origin' }, insists: { const: true } },
  ),
  answered: object(
    { seq: count, sentMs: time, receivedMs: time, movedMs: time },
    { meanwhileMs: time, cut: { const: true }, encoded: { enum: ['unknown', 'faulty'] } },
  ),
  clock: object(
    {
      ...{ word: { enum: ['now', 'advance', 'set'] }, after: count, clockMs: time },
      ...{ movedMs: time, nowMs: time },
    },
    {},
  ),
  result: object({ result: { $ref: '#/$defs/check' }, nowMs: time }, {}),
}

const { request, response } = $defs.evidence.properties

export const exchangeSchema = object(
  { seq: count, at: instant, check: text, key: orNull(text), request, response, ms: time },
  { noAnswer: { enum: Object.keys(noAnswerWords) } },
)
