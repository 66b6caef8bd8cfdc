// The issued keys, and how one is recognised in a request.
import { type Plan, plans, type Quota } from '../spec/plans.ts'

export interface KeyRecord {
  key: string
  plan: Plan
  quota: Quota
}

export interface Keys {
  all: readonly KeyRecord[]
  find: (authorization: string | undefined) => KeyRecord | undefined
}

/** A key as it is configured; an Enterprise key brings its own numbers. */
export interface IssuedKey {
  plan: Plan
  key: string
  quota?: Quota
}

// The characters that a bearer token may have: no comma, so that two headers joined are no key.
const token = /^[A-Za-z0-9._~+/-]+=*$/

/** Whether the reference can issue such a key. */
export const isToken = (key: string): boolean => token.test(key)

export const createKeys = (issued: readonly IssuedKey[]): Keys => {
  const records = new Map<string, KeyRecord>()
  for (const entry of issued) {
    if (!isToken(entry.key)) throw new Error(`A ${entry.plan} key is no bearer token.`)
    if (records.has(entry.key)) throw new Error(`A ${entry.plan} key is given twice.`)
    records.set(entry.key, { key: entry.key, plan: entry.plan, quota: readQuota(entry) })
  }
  return {
    all: [...records.values()],
    find: (authorization) => records.get(readBearer(authorization) ?? ''),
  }
}

/** The token, if the header is the scheme `Bearer` in any letter case, spaces, and a token. */
const readBearer = (authorization = ''): string | undefined =>
  /^bearer +(.*)$/is.exec(authorization)?.[1]

const readQuota = ({ plan, quota }: IssuedKey): Quota => {
  const usual = plan === 'enterprise' ? undefined : plans[plan]
  const { perMinute, perDay } = quota ?? usual ?? { perMinute: 0, perDay: 0 }
  if (![perMinute, perDay].every(isCount)) {
    throw new Error(`The ${plan} key needs whole numbers of calls per minute and per day.`)
  }
  return { perMinute, perDay }
}

/** The upper bound keeps calls times milliseconds of a day, in every limiter, exact. */
const isCount = (count: number): boolean =>
  Number.isInteger(count) && count >= 1 && count <= 50_000_000
