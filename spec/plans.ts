// The plans of the interface and the calls each of them allows.

/** How many calls a key may make. An Enterprise quota is set case by case, so it has no row. */
export interface Quota {
  perMinute: number
  perDay: number
}

export const plans = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
} as const satisfies Record<string, Quota>

export type Plan = keyof typeof plans | 'enterprise'

export const planNames: readonly Plan[] = ['free', 'pro', 'business', 'enterprise']

export const largerPlans: readonly Plan[] = planNames.filter((plan) => plan !== 'free')
