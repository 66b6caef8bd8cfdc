// The work of `petvet domains demo`: a project published on loopback until a signal ends it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onInterrupt, untilInterrupted } from '../../cli/interrupt.ts'
import { didYouMean } from '../../cli/nearest.ts'
import { UsageError } from '../../cli/usage-error.ts'
import {
  authorityName,
  customHosts,
  marker,
  platformHost,
  primary,
  redirects,
  siteHost,
} from '../demo/customers.ts'
import { type Button, buttons, type Demo, startDemo } from '../demo/demo.ts'
import type { PublishingVariant } from '../demo/variant.ts'
import { type Policy, policies } from '../rules/policies.ts'

const dashboard = `Dashboard: type ${buttons.join(', ')} and a domain (${customHosts.join(', ')})`

/** The flags of every look at the demonstration. */
const flagsOf = (demo: Demo, folder: string): string[] => [
  `--domains ${join(folder, 'domains.json')}`,
  `--platform-host ${platformHost}`,
  `--site https://${siteHost}`,
  `--marker ${marker}`,
  `--ca ${authorityName}`,
  '--plan pro',
  `--since ${new Date().toISOString()}`,
  `--resolver ${demo.dns}`,
  `--ca-file ${join(folder, 'root.pem')}`,
  `--https-port ${demo.httpsPort}`,
  `--http-port ${demo.httpPort}`,
]

interface DemoFlags {
  readonly mutant: string | undefined
  readonly policy: string[] | undefined
}

export const runDemo = async ({ mutant, policy = [] }: DemoFlags): Promise<number> => {
  if (policy.includes('list')) return printPolicies()
  const named = mutant === undefined ? {} : await variantOf(mutant)
  const variant = { ...named, policy: { ...named.policy, ...policyOf(policy) } }
  const interrupt = onInterrupt()
  const demo = await startDemo(variant, null)
  const folder = mkdtempSync(join(tmpdir(), 'petvet-demo-'))
  try {
    const domains = JSON.stringify({ domains: { primary, redirects } }, null, 2)
    writeFileSync(join(folder, 'domains.json'), `${domains}\n`)
    writeFileSync(join(folder, 'root.pem'), demo.rootPem)
    const flags = flagsOf(demo, folder).join(' ')
    const lines = [
      `petvet: dns ${demo.dns}`,
      `petvet: https 127.0.0.1:${demo.httpsPort}`,
      `petvet: http 127.0.0.1:${demo.httpPort}`,
      `petvet: check petvet domains check ${flags}`,
      `petvet: removed petvet domains removed --host ${redirects[2].from} ${flags}`,
      `petvet: ${dashboard}`,
    ]
    process.stdout.write(`${lines.join('\n')}\n`)
    const input = createInterface({ input: process.stdin })
    input.on('line', (line) => void press(demo, line))
    await untilInterrupted(interrupt)
    input.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
    await demo.close()
    interrupt.release()
  }
  return 0
}

const press = async (demo: Demo, line: string): Promise<void> => {
  const [word = '', host = '', ...more] = line.trim().split(/\s+/)
  if (word === '') return
  const button = buttons.find((each): each is Button => each === word)
  const sound = button && host !== '' && more.length === 0
  const reply = sound ? await demo.press(button, host.toLowerCase()) : null
  const told = reply === null ? dashboard : reply.ok ? 'done' : `refused: ${reply.reason}`
  const record = reply?.ok && reply.record
  const shown = record ? `; set ${record.type} ${record.name} -> ${record.value}` : ''
  process.stdout.write(`petvet: ${told}${shown}\n`)
}

/** @throws UsageError with the id that may have been meant */
const variantOf = async (id: string): Promise<PublishingVariant> => {
  const { domainFaults } = await import('../faults/faults.ts')
  const { domainLegal, domainUnsure } = await import('../faults/legal.ts')
  const all = [...domainFaults, ...domainLegal, ...domainUnsure]
  const found = all.find((each) => each.id === id)
  if (found) return found
  const ids = all.map((each) => each.id)
  throw new UsageError(`"${id}" is no mutant of domains${didYouMean(id, ids)}`)
}

const unsaid: Readonly<Record<string, { question: string; choices: readonly string[] }>> = policies

/** @param given `path=dropped` */
const policyOf = (given: readonly string[]): Partial<Policy> =>
  Object.fromEntries(
    given.map((text) => {
      const [key = '', choice = ''] = text.split('=')
      const own = Object.hasOwn(unsaid, key) ? unsaid[key] : undefined
      if (own?.choices.includes(choice)) return [key, choice]
      const choices = own?.choices.map((each) => `${key}=${each}`) ?? Object.keys(unsaid)
      throw new UsageError(`--policy takes ${choices.join(', ')}, not "${text}"`)
    }),
  )

const printPolicies = (): number => {
  const lines = Object.entries(unsaid).map(
    ([key, { question, choices }]) => `${key}=${choices.join('|')}\n  ${question}\n`,
  )
  process.stdout.write(lines.join(''))
  return 0
}
