// rate-limiter-flexible, in memory and over Redis: as its README shows, and so that the interface
// is met.
import { createServer } from 'node:http'
import express, { type Express, type RequestHandler, type Response } from 'express'
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  type RateLimiterRes,
} from 'rate-limiter-flexible'
import { createClient } from 'redis'
import type { KeyRecord } from '../../reference/issued-keys.ts'
import type { Api, Mount } from './api.ts'
import {
  dayMs,
  headersOf,
  longestRefusal,
  minuteMs,
  refusal,
  type SendingCheck,
  strangersWindow,
  tighter,
  waitSeconds,
} from './windows.ts'

type MakeLimiter = (points: number, durationMs: number) => RateLimiterAbstract

const inMemory = (): MakeLimiter => (points, durationMs) =>
  new RateLimiterMemory({ points, duration: durationMs / 1000 })

const overRedis = async (path: string): Promise<MakeLimiter> => {
  const storeClient = createClient({ socket: { path, tls: false } })
  await storeClient.connect()
  return (points, durationMs) =>
    new RateLimiterRedis({
      storeClient,
      useRedisPackage: true,
      keyPrefix: `pets-${points}-${durationMs}`,
      points,
      duration: durationMs / 1000,
    })
}

const keyIn = (response: Response): KeyRecord | undefined => response.locals.key

/** The middleware of the README, with the headers that it suggests, behind the authentication. */
const asDocumented = (api: Api, make: MakeLimiter): Express => {
  const rateLimiter = make(60, minuteMs)
  const headersFrom = (found: RateLimiterRes) => ({
    'Retry-After': String(found.msBeforeNext / 1000),
    'X-RateLimit-Limit': String(60),
    'X-RateLimit-Remaining': String(found.remainingPoints),
    'X-RateLimit-Reset': String(Math.ceil((Date.now() + found.msBeforeNext) / 1000)),
  })
  const app = express()
  app.use((request, response, next) => {
    response.locals.key = api.keyOf(request)
    if (keyIn(response)) return next()
    return api.serve(request, response)
  })
  app.use((_request, response, next) => {
    rateLimiter.consume(keyIn(response)?.key ?? '').then(
      (found) => {
        response.set(headersFrom(found))
        next()
      },
      (found) => {
        response.set(headersFrom(found))
        response.status(429).send('Too Many Requests')
      },
    )
  })
  app.use(api.serve)
  return app
}

/** One limiter per number of calls: the plans differ by nothing else. */
const limitersOf = (make: MakeLimiter, durationMs: number) => {
  const limiters = new Map<number, RateLimiterAbstract>()
  return (limit: number): RateLimiterAbstract => {
    const limiter = limiters.get(limit) ?? make(limit, durationMs)
    limiters.set(limit, limiter)
    return limiter
  }
}

/** A refusal is a rejection with the same numbers; any other rejection is a fault. */
const ask = async (
  limiter: RateLimiterAbstract,
  key: string,
  limit: number,
): Promise<SendingCheck> => {
  const shown = (found: RateLimiterRes, refused: boolean): SendingCheck => ({
    limit,
    remaining: found.remainingPoints,
    resetAtMs: Date.now() + found.msBeforeNext,
    refused,
  })
  return limiter.consume(key).then(
    (found) => shown(found, false),
    (found) => {
      if (found instanceof Error) throw found
      return shown(found, true)
    },
  )
}

/** Both quotas of the plan, whole seconds in Retry-After, and headers without a key as well. */
const limitBoth = (api: Api, make: MakeLimiter): RequestHandler => {
  const minutes = limitersOf(make, minuteMs)
  const days = limitersOf(make, dayMs)
  return async (request, response, next) => {
    const record = api.keyOf(request)
    if (!record) {
      response.set(headersOf(strangersWindow()))
      next()
      return
    }
    const { key, quota } = record
    const minute = await ask(minutes(quota.perMinute), key, quota.perMinute)
    const day = await ask(days(quota.perDay), key, quota.perDay)
    const refusing = longestRefusal(minute, day)
    response.set(headersOf(refusing ?? tighter(minute, day)))
    if (!refusing) next()
    else response.status(429).set('Retry-After', waitSeconds(refusing)).json(refusal)
  }
}

const asConformant = (api: Api, make: MakeLimiter): Express => {
  const app = express()
  app.use(limitBoth(api, make))
  app.use(api.serve)
  return app
}

export const memory: Mount = (api) => createServer(asDocumented(api, inMemory()))

export const conformantMemory: Mount = (api) => createServer(asConformant(api, inMemory()))

export const redis: Mount = async (api, redisSocket) =>
  createServer(asDocumented(api, await overRedis(redisSocket)))

export const conformantRedis: Mount = async (api, redisSocket) =>
  createServer(asConformant(api, await overRedis(redisSocket)))
