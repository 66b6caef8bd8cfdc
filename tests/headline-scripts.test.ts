// `petvet report --as sh`: each headline as a script that fails until it is fixed.
import { execFile } from 'node:child_process'
import { expect, test } from 'vitest'
import { labelKeys } from '../engine/run/run-options.ts'
import { findSubject, isServer, makeKeys, runOverSockets } from '../proof/subjects.ts'
import { startReference } from '../reference/start.ts'
import type { Variant } from '../reference/variant.ts'
import { formats } from '../reports/formats.ts'
import { nothingKnown } from '../reports/known-failures.ts'

const scripted = [
  ...['list-limit-1-refused', 'filter-refused-with-limit', 'media-type-charset-refused'],
  ...['body-no-json-500', 'category-object-taken', 'auth-missing-taken-by-get', 'created-200'],
  ...['list-limit-100-refused', 'headers-missing-on-401', 'creation-of-pending-refused'],
]

/** @returns the exit code and what it prints */
const runScript = (script: string, url: string, env: Record<string, string>) =>
  new Promise<readonly [number, string]>((resolve) => {
    const child = execFile('sh', ['-s', url], { env: { ...process.env, ...env } }, (_, out, err) =>
      resolve([child.exitCode ?? -1, `${out}${err}`]),
    )
    child.stdin?.end(script)
  })

test.each(scripted)(
  '%s: its script fails there, and passes at the reference',
  async (id) => {
    const subject = findSubject(id)
    if (!isServer(subject)) throw new Error(`${id} is no server`)
    const own = subject.vetting.checks.filter((each) => each.id === subject.caughtBy)
    const run = await runOverSockets(
      { ...subject, vetting: { ...subject.vetting, checks: own } },
      7,
    )
    expect(run.causes).not.toEqual([])
    const script = formats.sh?.write({ run, known: nothingKnown }) ?? ''
    const keys = makeKeys(subject.vetting)
    const env = Object.fromEntries(labelKeys(keys).map(({ variable, key }) => [variable, key]))
    const runAtServer = async (variant: Variant) => {
      const { url, close } = await startReference({ keys, variant, onFault: () => {} })
      return runScript(script, url, env).finally(close)
    }
    expect(await runAtServer(subject.variant)).toEqual([1, expect.stringContaining('FAIL ')])
    expect(await runAtServer({})).toEqual([0, ''])
  },
  30_000,
)
