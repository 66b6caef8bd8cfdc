// The process that vets: round after round by the programmatic API, in one process.
import { type RunFile, vet } from '../../index.ts'
import { heldNow } from './held-resources.ts'
import type { Round, Target, ToVetter, Vetted } from './messages.ts'

const vetWith = (target: Target, { seed, keys, only }: Round) =>
  vet({
    target: target.url,
    keys,
    description: target.description,
    seed,
    maxRequests: 10_000,
    ...(target.clock !== undefined && { clock: target.clock }),
    ...(only.length > 0 && { only }),
  })

/** Every other round reads the events, and the others do not. */
const hold = async (target: Target, round: Round): Promise<RunFile> => {
  const vetting = vetWith(target, round)
  if (round.seed % 2 === 0) for await (const _ of vetting);
  return vetting.run
}

/** Another run, left early, as a caller may. */
const leave = async (target: Target, round: Round): Promise<void> => {
  const vetting = vetWith(target, round)
  let read = 0
  for await (const _ of vetting) {
    read += 1
    if (read === 50) break
  }
  await vetting.run
}

process.on('message', async ({ target, round }: ToVetter) => {
  const { verdict, requests, checks } = await hold(target, round)
  if (round.leaves) await leave(target, round)
  const vetted: Omit<Vetted, 'held'> = {
    verdict,
    requests,
    outcomes: checks.map(({ id, outcome, because }) => `${id} ${outcome} ${because ?? ''}`.trim()),
  }
  process.send?.({ ...vetted, held: await heldNow() })
})
