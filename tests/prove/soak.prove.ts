// An hour of runs in one process, on the reference in another: nothing grows, nothing stays open,
// and each check ends in each of them as it did in the first. PETVET_SOAK_MS makes it shorter.
import { expect, test } from 'vitest'
import { faultsOf, figuresOf, inMib, soakBounds } from '../rounds/growth.ts'
import { type Looked, startProcess, type Target } from '../rounds/process.ts'
import { holdRounds, type Past, wholeRound } from '../rounds/rounds.ts'

const minuteMs = 60_000
const soakMs = Number(process.env.PETVET_SOAK_MS ?? 60 * minuteMs)
/** A run each so often is left early by its caller. */
const leavesEach = 10
const endMs = 30_000
const toldEach = 100

test('the suites, again and again', { timeout: soakMs + 10 * minuteMs }, async () => {
  const untilMs = performance.now() + soakMs
  const next = (at: number) =>
    performance.now() < untilMs
      ? { ...wholeRound(at), leaves: at % leavesEach === leavesEach - 1 }
      : undefined
  const printRound = ({ vetter, server, ms }: Past, at: number) => {
    if (at % toldEach !== 0) return
    const bytes = [vetter.heapBytes, vetter.residentBytes, server.heapBytes, server.residentBytes]
    const memory = bytes.map(inMib).join(', ')
    console.log(`round ${at}: ${Math.round(ms)} ms; heap and resident MiB of both: ${memory}`)
  }
  const rounds = await holdRounds(next, printRound, endMs)
  console.log(figuresOf(rounds, soakBounds).join('\n'))
  expect(rounds.past.length, 'too few rounds to tell').toBeGreaterThan(soakBounds.from + 40)
  expect(faultsOf(rounds, soakBounds)).toEqual([])
  expect(rounds.past.filter(({ verdict }) => verdict !== 'conformant')).toEqual([])
})

const pets = 20_000
/** What a pet of the reference may cost: its members, its place in two maps, its id. */
const maxBytesEach = 2_048
const key = 'petvet-soak-key'

/** Creates pets, some at once. */
const create = async (url: string): Promise<void> => {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const atOnce = 20
  for (let made = 0; made < pets; made += atOnce) {
    const responses = Array.from({ length: atOnce }, async (_, at) => {
      const body = JSON.stringify({ name: `Animal ${made + at}`, categoryId: 1 })
      const response = await fetch(`${url}/pets`, { method: 'POST', headers, body })
      await response.text()
      return response.status
    })
    expect(new Set(await Promise.all(responses))).toEqual(new Set([201]))
  }
}

test('the memory of the reference for each pet', { timeout: 5 * minuteMs }, async () => {
  const plan = { plan: 'enterprise', key, perMinute: 1_000_000, perDay: 1_000_000 } as const
  const server = startProcess('server')
  try {
    const target = await server.ask<Target>({ start: { ...wholeRound(0), keys: [plan] } })
    await create(target.url)
    const full = await server.ask<Looked>({ look: true })
    const empty = await server.ask<Looked>({ stop: true })
    const each = (full.held.heapBytes - empty.held.heapBytes) / pets
    console.log(`${Math.round(each)} bytes of heap for each pet`)
    expect(each).toBeGreaterThan(0)
    expect(each).toBeLessThan(maxBytesEach)
  } finally {
    expect(await server.end(endMs)).toBe(0)
  }
})
