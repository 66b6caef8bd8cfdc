// JSON Schemas of each line of a journal, and of the exchanges that a run can be resumed with.
import { noAnswerWords } from '../engine/outcome.ts'
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
  required: ['label', 'plan', 'quota', 'use', 'digest'],
  properties: {
    ...{ label: text, plan: text, use: { enum: ['ban', null] }, digest: hex },
    quota: {
      type: 'object',
      required: ['perMinute', 'perDay'],
      properties: { perMinute: count, perDay: count },
    },
  },
}

/** By `kind`. */
export const entrySchemas: Readonly<Record<string, object>> = {
  head: object(
    {
      ...{ petvet: text, runId: hex, seed: { type: 'integer' }, salt: hex, startedAt: instant },
      ...{ baseUrl: text, clockUrl: orNull(text), descriptionUrl: orNull(text) },
      ...{ categories: texts, allow: permissions, shared: { type: 'boolean' } },
      ...{ strict: { type: 'boolean' }, maxRequests: count, responseTimeoutMs: time },
      keys: { type: 'array', minItems: 1, maxItems: 1_000, items: key },
      ...{ headers: hex, checks: texts },
    },
    { again: { type: 'object' } },
  ),
  resumed: object({ at: instant }, {}),
  clock: object({ at: instant, clockMs: time, movedMs: time }, {}),
  sending: object({ seq: count, check: text, key: orNull(text) }, {}),
  result: object({ at: instant, result: { $ref: '#/$defs/check' } }, {}),
  note: object({ text }, {}),
  categories: object({ free: { type: 'boolean' }, accepted: texts }, {}),
}

const { request, response } = $defs.evidence.properties

export const exchangeSchema = object(
  {
    ...{ seq: count, at: instant, check: text, key: orNull(text), request, response, ms: time },
    sentMs: time,
  },
  {
    ...{ noAnswer: { enum: Object.keys(noAnswerWords) }, movedMs: time, meanwhileMs: time },
    ...{ from: { const: 'origin' }, cut: { const: true } },
    encoded: { enum: ['unknown', 'faulty'] },
  },
)
