// A machine under load: as many busy processes as it has cores, while something is done.
import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'

const path = fileURLToPath(new URL('busy.ts', import.meta.url))

export const whileLoaded = async <Done>(act: () => Promise<Done>): Promise<Done> => {
  const busy = Array.from({ length: availableParallelism() }, () => fork(path))
  try {
    return await act()
  } finally {
    for (const child of busy) child.kill('SIGKILL')
  }
}
