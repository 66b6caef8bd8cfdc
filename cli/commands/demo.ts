// `petvet demo`: the suites on the built-in reference, with the Prism mock as a baseline.
import { command, toggle } from '../command.ts'
import { readDemoSettings } from '../config/settings.ts'
import { outputFlags, runFlags, selectionFlags, suiteFlags } from '../flags.ts'
import { say } from '../output/progress.ts'
import { startBuiltIn } from '../run/built-in.ts'
import { runAndWrite } from '../run/run-and-write.ts'
import { inNewFolder, runToEnd } from './check.ts'

export const demo = command(
  {
    ...selectionFlags,
    ...suiteFlags,
    ...runFlags,
    ...outputFlags,
    mock: { ...toggle('run the Prism mock too, as a baseline'), default: true },
  },
  (flags) => {
    const settings = readDemoSettings(flags, process.cwd())
    return inNewFolder(settings, () =>
      runToEnd(settings, async (signal) => {
        const { target, close } = await startBuiltIn()
        try {
          const what = "petvet's own reference server, which says nothing about yours"
          say(`target ${target.baseUrl}: ${what}`, settings)
          say(`seed ${settings.run.seed}`, settings)
          return await runAndWrite(target, settings, null, signal)
        } finally {
          await close()
        }
      }),
    )
  },
)
