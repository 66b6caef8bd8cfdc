// @fastify/rate-limit: as its README shows, and so that the interface is met.
import rateLimit from '@fastify/rate-limit'
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  type RouteHandlerMethod,
} from 'fastify'
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

const createApp = (options: FastifyServerOptions): FastifyInstance => {
  const app = Fastify(options)
  // The body is left to the API.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  return app
}

const handlerOf =
  (api: Api): RouteHandlerMethod =>
  async ({ raw }, reply) => {
    const { status, headers, body } = await api.answerTo(raw)
    return reply.code(status).headers(headers).send(body)
  }

const addRoutes = (app: FastifyInstance, handler: RouteHandlerMethod): void => {
  app.get('/v1/pets', handler)
  app.post('/v1/pets', handler)
  app.get('/v1/pets/:petId', handler)
  // So is a media type that cannot be parsed.
  app.setErrorHandler<FastifyError>((error, request, reply) =>
    error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE'
      ? handler.call(app, request, reply)
      : reply.send(error),
  )
}

/** The plugin for all routes, behind the authentication, with its defaults. */
export const usual: Mount = async (api) => {
  const app = createApp({})
  const handler = handlerOf(api)
  app.addHook('onRequest', async (request, reply) => {
    if (!api.keyOf(request.raw)) await handler.call(app, request, reply)
  })
  await app.register(rateLimit, {
    max: 60,
    timeWindow: '1 minute',
    keyGenerator: ({ raw }) => api.keyOf(raw)?.key ?? '',
  })
  addRoutes(app, handler)
  app.setNotFoundHandler(handler)
  await app.ready()
  return app.server
}

/** Calls both limiters, sends the headers of the tighter one, and refuses if one of them does. */
const limitBoth = (app: FastifyInstance, api: Api) => {
  const askerOf = (timeWindow: number, kind: 'perMinute' | 'perDay') => {
    const check = app.createRateLimit({
      timeWindow,
      max: ({ raw }) => api.keyOf(raw)?.quota[kind] ?? 0,
      keyGenerator: ({ raw }) => api.keyOf(raw)?.key ?? '',
    })
    return async (request: FastifyRequest): Promise<SendingCheck> => {
      const found = await check(request)
      if (found.isAllowed) throw new Error('no request is on a list of exceptions')
      const { max: limit, remaining, ttl, isExceeded: refused } = found
      return { limit, remaining, resetAtMs: Date.now() + ttl, refused }
    }
  }
  const askMinute = askerOf(minuteMs, 'perMinute')
  const askDay = askerOf(dayMs, 'perDay')
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (!api.keyOf(request.raw)) {
      reply.headers(headersOf(strangersWindow()))
      return
    }
    const minute = await askMinute(request)
    const day = await askDay(request)
    const refusing = longestRefusal(minute, day)
    reply.headers(headersOf(refusing ?? tighter(minute, day)))
    if (!refusing) return
    reply.code(429).header('Retry-After', waitSeconds(refusing)).send(refusal)
  }
}

/** Both quotas of the plan, called by hand, since the plugin's own Reset is no time. */
export const conformant: Mount = async (api) => {
  const handler = handlerOf(api)
  let limit: ReturnType<typeof limitBoth> | undefined
  const app = createApp({
    routerOptions: { maxParamLength: 8_192 },
    // An address that Fastify cannot read comes here in the place of a route.
    frameworkErrors: async (_error, request, reply) => {
      await limit?.(request, reply)
      if (!reply.sent) await handler.call(app, request, reply)
    },
  })
  await app.register(rateLimit, { global: false })
  limit = limitBoth(app, api)
  app.addHook('onRequest', limit)
  addRoutes(app, handler)
  app.setNotFoundHandler(handler)
  await app.ready()
  return app.server
}
