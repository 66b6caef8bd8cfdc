// Packages that a few commands need: npm does not install them with petvet, one line says how to.
import { findPackageJSON } from 'node:module'
import { UsageError } from '../config/usage-error.ts'
import { peerDependencies } from '../engine/run/version.ts'

export const prismPackages = ['@stoplight/prism-cli'] as const
export const domainsPackages = [
  '@peculiar/x509',
  'dns-packet',
  'reflect-metadata',
  'tldts',
] as const

export const isInstalled = (name: string): boolean => {
  try {
    return findPackageJSON(name, import.meta.url) !== undefined
  } catch {
    return false
  }
}

/**
 * @param name of the command that needs the packages
 * @throws UsageError with the line that installs those which are missing
 */
export const expectPackages = (name: string, packages: readonly string[]): void => {
  const missing = packages.filter((each) => !isInstalled(each))
  if (missing.length === 0) return
  const versions = missing.map((each) => `${each}@${peerDependencies[each]?.replace('^', '')}`)
  const install = `npm install --save-dev ${versions.join(' ')}`
  throw new UsageError(`${name} needs ${missing.join(', ')}: ${install}`)
}
