// The work of `petvet domains demo`: a project published on loopback until a signal ends it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onInterrupt, untilInterrupted } from '../../cli/interrupt.ts'
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
import { policyOf, tellPolicies } from './policy.ts'

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

export const runDemo = async ({ mutant, policy }: DemoFlags): Promise<number> => {
  if (policy?.includes('list')) return tellPolicies()
  const named = mutant === undefined ? {} : await variantOf(mutant)
  const variant = { ...named, policy: { ...named.policy, ...policyOf(policy ?? []) } }
  const interrupt = onInterrupt()
  const demo = await startDemo(variant, null)
  const folder = mkdtempSync(join(tmpdir(), 'petvet-demo-'))
  try {
    writeFileSync(
      join(folder, 'domains.json'),
      `${JSON.stringify({ domains: { primary, redirects } }, null, 2)}\n`,
    )
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

const variantOf = async (id: string): Promise<PublishingVariant> => {
  const { domainVariant } = await import('./variant-of.ts')
  return domainVariant(id)
}
