// Loaded into a process under test: at its end it tells the most memory that it held.
import { readFileSync } from 'node:fs'

/** What `getrusage` says is no less than that of who started it, so it is the second choice. */
const peakKib = () => {
  try {
    const status = readFileSync('/proc/self/status', 'utf8')
    return Number(/VmHWM:\s+(\d+)/.exec(status)[1])
  } catch {
    return process.resourceUsage().maxRSS
  }
}

process.on('exit', () => process.stderr.write(`\nmemory ${peakKib()} KiB\n`))
