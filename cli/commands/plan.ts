// `petvet plan`: what a run would cost.
import { command } from '../command.ts'
import { runFlags, targetFlags } from '../run-flags.ts'

export const plan = command({
  usage: 'plan [base-url]',
  says: 'tell what a run would cost: requests, duration and share of the day; sends nothing',
  positions: ['base-url'],
  options: {
    ...targetFlags,
    'max-requests': runFlags['max-requests'],
    json: { type: 'boolean', describe: 'the same as JSON, times in milliseconds' },
  },
  run: async (given) => (await import('../run-plan.ts')).runPlan(given),
})
