// Every command, in the order in which help lists them.

import { domains } from '../domains/command/commands.ts'
import type { Command } from './command.ts'
import { check } from './commands/check.ts'
import { compare } from './commands/compare.ts'
import { explain } from './commands/explain.ts'
import { init } from './commands/init.ts'
import { list } from './commands/list.ts'
import { load } from './commands/load.ts'
import { mock } from './commands/mock.ts'
import { mutants } from './commands/mutants.ts'
import { plan } from './commands/plan.ts'
import { report } from './commands/report.ts'
import { serve } from './commands/serve.ts'

export const commands: readonly Command[] = [
  check,
  load,
  serve,
  mock,
  mutants,
  plan,
  list,
  explain,
  report,
  domains,
  compare,
  init,
]
