// `petvet init`: a configuration file and a CI workflow to start from.
import { ciNames } from '../ci-names.ts'
import { command } from '../command.ts'

export const init = command({
  usage: 'init [base-url]',
  says: 'write a configuration file and a CI workflow to start from; asks for what is not given',
  positions: ['base-url'],
  options: {
    'base-url': { type: 'string', describe: 'address of the API, version prefix included' },
    plan: {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'plan of a key at hand, repeatable: twice for two keys of it [free]',
    },
    clock: { type: 'string', requiresArg: true, describe: "address of the target's test clock" },
    ci: { choices: ciNames, requiresArg: true, describe: 'where it is to run unattended [none]' },
    force: { type: 'boolean', describe: 'write over files that are there' },
  },
  run: async (given) => (await import('../run-init.ts')).runInit(given),
})
