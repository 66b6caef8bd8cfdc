// The built-in reference as a target: on a port of its own, with a test clock and made-up keys.
import { randomBytes } from 'node:crypto'
import { keyOptions } from '../../config/given-keys.ts'
import type { Target } from '../../config/target.ts'
import { permissions } from '../../engine/check/context.ts'
import type { KeyOption } from '../../engine/check/spendable-keys.ts'
import { plainTarget } from '../../engine/run/run-options.ts'
import { startReference } from '../../reference/start.ts'

/** Two of one plan, so that one may be banned, and one each of two others. */
export const madeUpKeys = (): readonly KeyOption[] =>
  keyOptions(
    ['free', 'free', 'pro', 'business'].map((plan) => ({
      plan,
      key: `${plan}-${randomBytes(12).toString('hex')}`,
    })),
    {},
  )

export const reportFault = (fault: unknown): void =>
  console.error('petvet: a fault of the reference:', fault)

export const startBuiltIn = async (keys = madeUpKeys()) => {
  const { url, clockUrl, descriptionUrl, close } = await startReference({
    keys,
    clockPort: 0,
    onFault: reportFault,
  })
  const target: Target = {
    ...plainTarget,
    baseUrl: url,
    clockUrl: clockUrl ?? null,
    descriptionUrl,
    keys,
    allow: permissions,
  }
  return { target, close }
}
