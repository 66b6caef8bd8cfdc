// hono-rate-limiter: as its documentation shows, and so that the interface is met.
import type { Server } from 'node:http'
import { createAdaptorServer, type HttpBindings } from '@hono/node-server'
import { type Context, type Handler, Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { type RateLimitInfo, rateLimiter } from 'hono-rate-limiter'
import type { KeyRecord } from '../../reference/issued-keys.ts'
import type { Api, Mount } from './api.ts'
import {
  dayMs,
  headersOf,
  minuteMs,
  refusal,
  strangersWindow,
  tighter,
  type Window,
  waitSeconds,
} from './windows.ts'

type Kind = 'perMinute' | 'perDay'

interface Env {
  Bindings: HttpBindings
  Variables: { key: KeyRecord | undefined } & Record<Kind, RateLimitInfo>
}

const answerWith =
  (api: Api): Handler<Env> =>
  async (context) => {
    const { status, headers, body } = await api.answerTo(context.env.incoming)
    return context.body(body, status as ContentfulStatusCode, headers)
  }

const serverOf = (app: Hono<Env>): Server => createAdaptorServer({ fetch: app.fetch }) as Server

/** The limiter before all else, by the header that carries the key, with its defaults. */
export const usual: Mount = (api) => {
  const app = new Hono<Env>()
  app.use(
    rateLimiter<Env>({
      windowMs: minuteMs,
      limit: 60,
      keyGenerator: (context) => context.req.header('authorization') ?? '',
    }),
  )
  app.all('*', answerWith(api))
  return serverOf(app)
}

const windowIn = (context: Context<Env>, kind: Kind): Window => {
  const { limit, remaining, resetTime } = context.get(kind)
  return { limit, remaining, resetAtMs: resetTime?.getTime() ?? Date.now() }
}

const say = (context: Context<Env>, window: Window): void => {
  for (const [name, value] of Object.entries(headersOf(window))) context.header(name, value)
}

const limiterOf = (windowMs: number, kind: Kind) =>
  rateLimiter<Env>({
    windowMs,
    limit: (context) => context.get('key')?.quota[kind] ?? 0,
    keyGenerator: (context) => context.get('key')?.key ?? '',
    requestPropertyName: kind,
    standardHeaders: false,
    skip: (context) => context.get('key') === undefined,
    handler: (context) => {
      const window = windowIn(context, kind)
      say(context, window)
      context.header('Retry-After', waitSeconds(window))
      return context.json(refusal, 429)
    },
  })

/** Both quotas of the plan, and the interface's own headers in place of the drafts'. */
export const conformant: Mount = (api) => {
  const app = new Hono<Env>()
  app.use(async (context, next) => {
    context.set('key', api.keyOf(context.env.incoming))
    if (!context.get('key')) say(context, strangersWindow())
    await next()
  })
  app.use(limiterOf(dayMs, 'perDay'), limiterOf(minuteMs, 'perMinute'))
  app.use(async (context, next) => {
    if (context.get('key')) {
      say(context, tighter(windowIn(context, 'perMinute'), windowIn(context, 'perDay')))
    }
    await next()
  })
  app.all('*', answerWith(api))
  return serverOf(app)
}
