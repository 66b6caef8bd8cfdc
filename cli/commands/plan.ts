// `petvet plan`: what a run would cost.
import { command } from '../command.ts'
import { targetFlags } from '../run-flags.ts'

export const plan = command({
  usage: 'plan [base-url]',
  says: 'tell what a run would cost: requests, minutes and share of the day; sends nothing',
  positions: ['base-url'],
  options: targetFlags,
  run: async (given) => (await import('../run-plan.ts')).runPlan(given),
})
