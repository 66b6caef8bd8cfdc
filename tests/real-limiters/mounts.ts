// The servers by name: each library as it is usually mounted, and so that the interface is met.
import type { Mount } from './api.ts'

// Only the selected library is loaded.
const express = () => import('./express-rate-limit.ts')
const fastify = () => import('./fastify-rate-limit.ts')
const flexible = () => import('./rate-limiter-flexible.ts')
const hono = () => import('./hono-rate-limiter.ts')

export const mounts = {
  'express-rate-limit': async () => (await express()).usual,
  'express-rate-limit, conformant': async () => (await express()).conformant,
  '@fastify/rate-limit': async () => (await fastify()).usual,
  '@fastify/rate-limit, conformant': async () => (await fastify()).conformant,
  'rate-limiter-flexible': async () => (await flexible()).memory,
  'rate-limiter-flexible, conformant': async () => (await flexible()).conformantMemory,
  'rate-limiter-flexible over Redis': async () => (await flexible()).redis,
  'rate-limiter-flexible over Redis, conformant': async () => (await flexible()).conformantRedis,
  'hono-rate-limiter': async () => (await hono()).usual,
  'hono-rate-limiter, conformant': async () => (await hono()).conformant,
} satisfies Record<string, () => Promise<Mount>>

export type MountName = keyof typeof mounts
