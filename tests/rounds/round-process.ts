// The process of the rounds: each message is a round, which vets a fresh reference by the
// programmatic API.
import { type RunFile, type VetOptions, vet } from '../../index.ts'
import { startReference } from '../../reference/start.ts'
import { type Held, heldNow } from './held-resources.ts'

/** As of the built-in reference: two of a plan, so that one of them may be banned. */
const keys = (['free', 'free', 'pro', 'business'] as const).map((plan, at) => ({
  plan,
  key: `petvet-rounds-key-${at}`,
}))

/** The options of a round. */
export interface Round {
  readonly seed: number
  /** Whether another run follows that is left after some events. */
  readonly leaves: boolean
}

/** How a round ended. */
export interface Vetted {
  readonly verdict: string
  /** A line for each check: its id and how it ended. */
  readonly outcomes: readonly string[]
  /** What the process held after the round. */
  readonly held: Held
}

/** Every other round reads the events, and the others do not. */
const hold = async (options: VetOptions, { seed }: Round): Promise<RunFile> => {
  const vetting = vet(options)
  if (seed % 2 === 0) for await (const _ of vetting);
  return vetting.run
}

/** Another run, left early, as a caller may. */
const leave = async (options: VetOptions): Promise<void> => {
  const vetting = vet(options)
  let read = 0
  for await (const _ of vetting) {
    read += 1
    if (read === 50) break
  }
  await vetting.run
}

const holdRound = async (round: Round): Promise<Omit<Vetted, 'held'>> => {
  const { seed } = round
  const server = await startReference({ keys, clockPort: 0 })
  const options = {
    ...{ target: server.url, description: server.descriptionUrl, keys, seed, maxRequests: 10_000 },
    ...(server.clockUrl !== undefined && { clock: server.clockUrl }),
  }
  const { verdict, checks } = await hold(options, round)
  if (round.leaves) await leave(options)
  await server.close()
  const outcomes = checks.map(({ id, outcome, because }) => `${id} ${outcome} ${because ?? ''}`)
  return { verdict, outcomes: outcomes.map((line) => line.trim()) }
}

process.on('message', async (round: Round) => {
  const vetted = await holdRound(round)
  process.send?.({ ...vetted, held: await heldNow() } satisfies Vetted)
})
