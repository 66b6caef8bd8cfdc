// How much memory a check takes, as the largest resident size of its process.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const petvet = fileURLToPath(new URL('../bin/petvet.js', import.meta.url))

/** Runs in the process that is measured; its exit code is that of the run. */
const printPeak = `process.on('exit', () => {
  process.stdout.write('peak ' + process.resourceUsage().maxRSS)
})`

/**
 * Runs `petvet check` in a process of its own.
 * @returns its largest resident size in MiB
 */
export const peakOfCheck = (...args: readonly string[]): number => {
  const folder = mkdtempSync(join(tmpdir(), 'petvet-bench-'))
  const hook = `data:text/javascript,${encodeURIComponent(printPeak)}`
  const run = ['--import', hook, petvet, 'check', ...args, '--quiet', '--out', join(folder, 'run')]
  try {
    const printed = execFileSync(process.execPath, run, { stdio: ['ignore', 'pipe', 'ignore'] })
    return peakIn(String(printed))
  } catch (error) {
    // A target that violates a requirement ends a run with 1.
    return peakIn(String((error as { stdout?: Buffer }).stdout))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @throws Error where the process ended before it could print its peak */
const peakIn = (printed: string): number => {
  const [, kibibytes] = /peak (\d+)$/.exec(printed) ?? []
  if (kibibytes === undefined) throw new Error('the check was not measured')
  return Number(kibibytes) / 1024
}
