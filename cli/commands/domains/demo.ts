// `petvet domains demo`: a project published on loopback until a signal ends it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { didYouMean, UsageError } from '../../../config/values.ts'
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
import { domainSubjects } from '../../../domains/faults/domain-subjects.ts'
import * as cli from '../../command.ts'
import { interruptible, untilInterrupted } from '../../output/folder.ts'

const usage = `Type remove and a domain (${customHosts.join(', ')}), as in the dashboard`

const flags = {
  mutant: cli.text('with the fault of a mutant, or as a legal variant, by its id'),
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

export const demo = cli.command(flags, async ({ mutant }) => {
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
      `petvet: check petvet domains check ${checked}`,
      `petvet: removed petvet domains removed --host ${redirects[2].from} ${checked}`,
      `petvet: ${usage}`,
    ]
    process.stdout.write(`${lines.join('\n')}\n`)
    const input = createInterface({ input: process.stdin })
    input.on('line', (line) => process.stdout.write(`petvet: ${obey(project, line)}\n`))
    await untilInterrupted(signal)
    input.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
    await project.close()
  }
  return 0
}

/** Removes the domain that a line names. @returns what to print */
const obey = (demo: Demo, line: string): string => {
  const host = /^\s*remove\s+(\S+)\s*$/i.exec(line)?.[1]?.toLowerCase()
  if (host === undefined) return usage
  return demo.remove(host) ? `removed ${host}` : `refused: ${host} is not attached`
}

/** @throws UsageError with the id that was probably meant */
const variantOf = (id: string): PublishingVariant => {
  const found = domainSubjects.find((each) => each.id === id)
  if (found) return found
  const ids = domainSubjects.map((each) => each.id)
  throw new UsageError(`unknown mutant of domains "${id}"${didYouMean(id, ids)}`)
}
