// The scenarios that k6 can run, as numbers: what is sent, with which key, how fast.
import type { Plan, Quota } from '../spec/plans.ts'
import { stepPlan } from './capacity.ts'
import type { LoadSettings } from './lane.ts'
import { steadyPace, strongest } from './steady.ts'
import type { Threshold, Thresholds } from './thresholds.ts'

interface ExportKey {
  readonly label: string
  readonly plan: Plan
  readonly quota: Quota
}

/** What a script is made of; no key is in it. */
export interface ExportRequest {
  readonly baseUrl: string
  readonly keys: readonly ExportKey[]
  readonly settings: LoadSettings
  readonly thresholds: Thresholds
  /** Further headers: a value, or the variable that it is in. */
  readonly headers: readonly ExportHeader[]
}

export interface ExportHeader {
  readonly name: string
  readonly value: string
  readonly variable: string | null
}

export interface Script {
  readonly file: string
  readonly text: string
  /** The thresholds that k6 cannot hold. */
  readonly leftOut: readonly Threshold[]
}

interface SteadyShape {
  readonly label: string
  readonly perMinute: number
  readonly seconds: number
}

interface CapacityShape {
  readonly label: string
  readonly steps: readonly number[]
  readonly stepSeconds: number
  /** In each step, at most. */
  readonly requestsMost: number
}

interface FleetShape {
  readonly keys: readonly FleetKey[]
}

export interface FleetKey {
  readonly label: string
  readonly perMinute: number
  /** More than its quota. */
  readonly requests: number
}

/** Null where no key that was given can bear it. */
export interface Shapes {
  readonly steady: SteadyShape | null
  readonly capacity: CapacityShape | null
  readonly fleet: FleetShape | null
}

export const exported = ['capacity', 'fleet', 'steady'] as const

/**
 * One of each key is refused, and no more: these keys are not to be banned. Whether more than the
 * quota is granted is for the scenario itself to judge: a limiter may legally refill meanwhile.
 */
const beyond = 1
/** Larger quotas are measured by `capacity`, and not used up. */
const fleetMost = 1_000
/** Of a minute's quota, for all steps together. */
const capacityShare = 0.9

export const shapesOf = ({ keys, settings }: ExportRequest): Shapes => {
  const key = strongest(keys)
  const fleet = keys.filter(({ quota }) => quota.perMinute <= fleetMost)
  return {
    steady: key ? steadyShape(key, settings) : null,
    capacity: key && key.plan === 'enterprise' ? capacityShape(key, settings) : null,
    fleet: fleet.length > 0 ? { keys: fleet.map(fleetKey) } : null,
  }
}

const steadyShape = ({ label, quota }: ExportKey, { durationMs }: LoadSettings): SteadyShape => {
  const { perSecond, slices, sliceMs } = steadyPace(quota, durationMs, 1)
  const perMinute = Math.max(1, Math.floor(perSecond * 60))
  return { label, perMinute, seconds: (slices * sliceMs) / 1_000 }
}

const capacityShape = ({ label, quota }: ExportKey, settings: LoadSettings): CapacityShape => {
  const { steps, stepMs } = stepPlan(settings, 1)
  const requestsMost = Math.floor((capacityShare * quota.perMinute) / steps.length)
  return { label, steps, stepSeconds: Math.max(1, Math.round(stepMs / 1_000)), requestsMost }
}

const fleetKey = ({ label, quota: { perMinute } }: ExportKey): FleetKey => ({
  label,
  perMinute,
  requests: perMinute + beyond,
})

/** The variable that a figure of the baseline is read from: `PETVET_PRISM_P99_MS`. */
export const variableOfBaseline = ({ of, metric }: Threshold): string => {
  const unit = metric === 'perSecond' ? 'PER_SECOND' : `${metric.toUpperCase()}_MS`
  return `PETVET_${(of ?? 'baseline').toUpperCase()}_${unit}`
}

/** A number as k6 reads it: without an exponent, and without the noise of a double. */
export const decimal = (value: number): string => value.toFixed(9).replace(/\.?0+$/, '')
