// The form of a notebook, as a JSON Schema: what an earlier run wrote is held against it.

const object = (properties: Readonly<Record<string, unknown>>) => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties),
  properties,
})

const nullable = (schema: object) => ({ anyOf: [{ type: 'null' }, schema] })
const count = { type: 'integer', minimum: 0, maximum: 100_000_000 }
/** Unix milliseconds until the year 2286. */
const time = { type: 'integer', minimum: 0, maximum: 1e13 }
const truth = { type: 'boolean' }
const hex = { type: 'string', pattern: '^[0-9a-f]{32}$' }
const found = { enum: ['holds', 'unclear', 'breach'] }

const stretch = object({
  fromMs: time,
  toMs: time,
  served: count,
  refused: count,
  other: count,
  lost: count,
})

const said = object({
  atMs: time,
  reset: { type: 'integer', minimum: 0, maximum: 1e12 },
  endsMs: time,
  remaining: { type: 'integer', minimum: 0, maximum: 1e15 },
  servedSince: count,
  mayServe: { type: 'integer', minimum: -1e8, maximum: 1e15 },
  isOurs: truth,
})

const refusal = object({ atMs: time, endsMs: time, more: found, fewer: found, isOurs: truth })

const page = object({
  target: { type: 'string', maxLength: 10_000 },
  digest: hex,
  stretches: { type: 'array', maxItems: 500, items: stretch },
  underWay: { type: 'integer', minimum: 0, maximum: 10_000 },
  said: nullable(said),
  refusal: nullable(refusal),
  lackedOne: truth,
})

export const notebookSchema = object({
  schema: { const: 1 },
  salt: hex,
  pages: { type: 'array', maxItems: 100, items: page },
})
