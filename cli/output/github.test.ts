// The summary of a step: appended, only where it is requested, and never above GitHub's limit.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nothingKnown } from '../../reports/known.ts'
import { readRun } from '../../reports/read-run.ts'
import { captureOutput, folderWith } from '../../tests/e2e/petvet.ts'
import { reportToGithub } from './github.ts'

const run = readRun(join(import.meta.dirname, '../../reports/samples'))
const source = { run, known: nothingKnown, exchanges: () => [] }

/** Reports into a summary that begins with a text, and returns it. */
const summaryAfter = (before: string, names: string[], from = source): string => {
  const file = join(folderWith({ 'summary.md': before }), 'summary.md')
  reportToGithub(names, from, { GITHUB_STEP_SUMMARY: file })
  return readFileSync(file, 'utf8')
}

test('markdown is appended, where it is requested', () => {
  expect(summaryAfter('before\n', ['junit'])).toBe('before\n')
  expect(summaryAfter('before\n', ['markdown'])).toMatch(/^before\n## petvet: not conformant/)
})

test('very many failures are cut below the limit, the worst first', () => {
  const failed = run.checks.find(({ outcome }) => outcome === 'fail')
  const detail = '`|<script>'.repeat(1_000)
  const checks = Array.from({ length: 20_000 }, (_, at) => ({ ...failed, id: `a-${at}`, detail }))
  const text = summaryAfter('', ['markdown'], { ...source, run: { ...run, checks } as never })
  expect(Buffer.byteLength(text)).toBeLessThan(900 * 1024)
  expect(text).toContain('FAIL `a-0`')
  expect(text).toMatch(/more parts? (is|are) left out/)
})

test('annotations are printed in GitHub Actions only', () => {
  const { printed, release } = captureOutput()
  reportToGithub(['github'], source, {})
  expect(printed.stderr).toBe('')
  reportToGithub(['github'], source, { GITHUB_ACTIONS: 'true' })
  release()
  expect(printed.stderr).toContain('::error title=auth-key-changed-401')
})
