// The work of `petvet domains lint`: the file alone.
import { readDomains } from './read-domains.ts'

export const runLint = async ({ domains }: { domains: string | undefined }): Promise<number> => {
  const { config, notes } = readDomains(domains)
  const { primary, redirects } = config
  const lines = [
    `${domains}: sound`,
    `  ${primary} serves`,
    ...redirects.map(({ from, to, status }) => `  ${from} redirects to ${to} with ${status}`),
    ...notes.map((note) => `  Note: ${note}`),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  return 0
}
