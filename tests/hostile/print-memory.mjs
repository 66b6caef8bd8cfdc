// Loaded into a process under test: at its end it prints its peak memory.
import { readFileSync } from 'node:fs'

/** `getrusage` is at least the value of the parent process, so it is the second choice. */
const peakKib = () => {
  try {
    const status = readFileSync('/proc/self/status', 'utf8')
    return Number(/VmHWM:\s+(\d+)/.exec(status)[1])
  } catch {
    return process.resourceUsage().maxRSS
  }
}

process.on('exit', () => process.stderr.write(`\nmemory ${peakKib()} KiB\n`))
