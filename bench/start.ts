// How long a command takes to start, beside a Node that does nothing.
import { execFileSync } from 'node:child_process'
import { file, told } from './measure.ts'

/** Milliseconds that a command takes, from outside. */
const timeOf = (args: readonly string[]): number => {
  const startMs = performance.now()
  execFileSync(process.execPath, args, { stdio: 'ignore' })
  return performance.now() - startMs
}

export const benchStart = (): void => {
  const help = [file('../bin/petvet.js'), '--help']
  const nothing = ['-e', '0']
  timeOf(help) // Fills the compile cache, as any earlier use does.
  const ratios = Array.from({ length: 15 }, () => timeOf(help) / timeOf(nothing))
  told('start, petvet --help to node -e 0', ratios, 'at most 6', (ratio) => ratio <= 6)
}
