// express-rate-limit: as its documentation shows, and so that the interface is met.
import { createServer } from 'node:http'
import express, { type Request, type Response } from 'express'
import { type RateLimitInfo, rateLimit } from 'express-rate-limit'
import type { KeyRecord } from '../../reference/issued-keys.ts'
import type { Mount } from './api.ts'
import {
  dayMs,
  headersOf,
  minuteMs,
  refusal,
  strangersWindow,
  tighter,
  type Window,
} from './windows.ts'

const keyIn = (response: Response): KeyRecord | undefined => response.locals.key

const keyGenerator = (_request: Request, response: Response): string => keyIn(response)?.key ?? ''

/** The limiter behind the authentication, with its defaults. */
export const usual: Mount = (api) => {
  const app = express()
  app.use((request, response, next) => {
    response.locals.key = api.keyOf(request)
    if (keyIn(response)) return next()
    return api.serve(request, response)
  })
  app.use(rateLimit({ windowMs: minuteMs, limit: 60, keyGenerator }))
  app.use(api.serve)
  return createServer(app)
}

type Kind = 'perMinute' | 'perDay'

const windowIn = (request: Request, kind: Kind): Window => {
  const { limit, remaining, resetTime } = (request as unknown as Record<Kind, RateLimitInfo>)[kind]
  return { limit, remaining, resetAtMs: resetTime?.getTime() ?? Date.now() }
}

const limiterOf = (windowMs: number, kind: Kind) =>
  rateLimit({
    windowMs,
    limit: (_request, response) => keyIn(response)?.quota[kind] ?? 0,
    keyGenerator,
    requestPropertyName: kind,
    skip: (_request, response) => keyIn(response) === undefined,
    handler: (_request, response) => response.status(429).json(refusal),
  })

/** Both quotas of the plan, the tighter one in the headers, and headers without a key as well. */
export const conformant: Mount = (api) => {
  const app = express()
  app.use((request, response, next) => {
    response.locals.key = api.keyOf(request)
    if (!keyIn(response)) response.set(headersOf(strangersWindow()))
    next()
  })
  app.use(limiterOf(dayMs, 'perDay'), limiterOf(minuteMs, 'perMinute'))
  app.use((request, response, next) => {
    if (keyIn(response)) {
      const window = tighter(windowIn(request, 'perMinute'), windowIn(request, 'perDay'))
      response.set(headersOf(window))
    }
    next()
  })
  app.use(api.serve)
  return createServer(app)
}
