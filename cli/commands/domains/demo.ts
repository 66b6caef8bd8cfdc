// `petvet domains demo`: a project published on loopback until a signal ends it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { didYouMean, UsageError } from '../../../config/values.ts'
import { buttons } from '../../../domains/demo/publishing-model.ts'
import {
  authorityName,
  customHosts,
  type Demo,
  marker,
  type PublishingVariant,
  platformHost,
  primary,
  redirects,
  siteHost,
  startDemo,
} from '../../../domains/demo/start-demo.ts'
import { domainSubjects } from '../../../domains/faults/domain-mutants.ts'
import { command, text } from '../../command.ts'
import { interruptible, untilInterrupted } from '../../output/folder.ts'

const dashboard = `Dashboard: type ${buttons.join(', ')} and a domain (${customHosts.join(', ')})`

const flags = {
  mutant: text('with the fault of a mutant, or as a legal variant, by its id'),
} as const

/** The flags of every check of the demonstration. */
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

export const demo = command(flags, async ({ mutant }) => {
  const variant = mutant === undefined ? {} : variantOf(mutant)
  await interruptible((signal) => publish(variant, signal))
  // A signal is how it is meant to end.
  return 0
})

const publish = async (variant: PublishingVariant, signal: AbortSignal): Promise<number> => {
  const project = await startDemo(variant, null)
  const folder = mkdtempSync(join(tmpdir(), 'petvet-demo-'))
  try {
    const domains = JSON.stringify({ domains: { primary, redirects } }, null, 2)
    writeFileSync(join(folder, 'domains.json'), `${domains}\n`)
    writeFileSync(join(folder, 'root.pem'), project.rootPem)
    const checked = flagsOf(project, folder).join(' ')
    const lines = [
      `petvet: dns ${project.dns}`,
      `petvet: https 127.0.0.1:${project.httpsPort}`,
      `petvet: http 127.0.0.1:${project.httpPort}`,
      `petvet: check petvet domains check ${checked}`,
      `petvet: removed petvet domains removed --host ${redirects[2].from} ${checked}`,
      `petvet: ${dashboard}`,
    ]
    process.stdout.write(`${lines.join('\n')}\n`)
    const input = createInterface({ input: process.stdin })
    input.on('line', (line) => void press(project, line))
    await untilInterrupted(signal)
    input.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
    await project.close()
  }
  return 0
}

const press = async (demo: Demo, line: string): Promise<void> => {
  const [word = '', host = '', ...more] = line.trim().split(/\s+/)
  if (word === '') return
  const button = buttons.find((each) => each === word)
  const isValid = button && host !== '' && more.length === 0
  const reply = isValid ? await demo.press(button, host.toLowerCase()) : null
  const result = reply === null ? dashboard : reply.ok ? 'done' : `refused: ${reply.reason}`
  const record = reply?.ok && reply.record
  const shown = record ? `; set ${record.type} ${record.name} -> ${record.value}` : ''
  process.stdout.write(`petvet: ${result}${shown}\n`)
}

/** @throws UsageError with the id that was probably meant */
const variantOf = (id: string): PublishingVariant => {
  const found = domainSubjects.find((each) => each.id === id)
  if (found) return found
  const ids = domainSubjects.map((each) => each.id)
  throw new UsageError(`unknown mutant of domains "${id}"${didYouMean(id, ids)}`)
}
