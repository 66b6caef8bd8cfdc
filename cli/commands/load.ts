// `petvet load`: run the load scenarios against a target.
import { command } from '../command.ts'
import { outputFlags, runFlags, targetFlags } from '../run-flags.ts'

const { only, skip, description, category, ...loadTargetFlags } = targetFlags

export const load = command({
  usage: 'load [base-url]',
  says: 'run the load scenarios; without address or configuration: on the reference',
  positions: ['base-url'],
  options: {
    ...loadTargetFlags,
    ...runFlags,
    'max-requests': {
      ...runFlags['max-requests'],
      describe: 'the most requests a run may send [10000000]',
    },
    scenario: {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'glob of the scenarios to run, repeatable [all but those of hours]',
    },
    connections: {
      type: 'string',
      requiresArg: true,
      describe: 'how many at once, one number or several: 1,10,50 [1,10,50,200; in real time 50]',
    },
    duration: {
      type: 'string',
      requiresArg: true,
      describe: 'seconds that a scenario goes on whose length is free',
    },
    thresholds: {
      type: 'string',
      requiresArg: true,
      describe: 'file of what the figures have to keep to; a broken one is exit 1',
    },
    to: {
      type: 'string',
      requiresArg: true,
      describe: 'k6: send nothing, and write the scenarios as scripts for it',
    },
    mock: { type: 'boolean', default: true, describe: 'the Prism mock beside the target' },
    reference: { type: 'boolean', default: true, describe: 'the reference beside the target' },
    ...outputFlags,
  },
  run: async ({ to, ...given }) =>
    to === undefined
      ? (await import('../run-load.ts')).runLoadCommand(given)
      : (await import('../run-export.ts')).runExport(given, to),
})
