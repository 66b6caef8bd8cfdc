// The summary of a step: added to, only where it is asked for, and never above GitHub's limit.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { nothingKnown } from '../reports/known.ts'
import { readRun } from '../reports/read-run.ts'
import { tellGithub } from './tell-github.ts'

const run = readRun(join(import.meta.dirname, '../reports/samples'))
const source = { run, known: nothingKnown, exchanges: () => [] }

const summaryWith = (before: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'petvet-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'summary.md')
  writeFileSync(file, before)
  return file
}

const told = (): string[] => {
  const lines: string[] = []
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    lines.push(String(text))
    return true
  })
  onTestFinished(() => spy.mockRestore())
  return lines
}

test('it is added behind what is there, where markdown is asked for', () => {
  const file = summaryWith('before\n')
  tellGithub(['junit'], source, { GITHUB_STEP_SUMMARY: file })
  expect(readFileSync(file, 'utf8')).toBe('before\n')
  tellGithub(['markdown'], source, { GITHUB_STEP_SUMMARY: file })
  expect(readFileSync(file, 'utf8')).toMatch(/^before\n## petvet: not conformant/)
})

test('it stays below the limit of GitHub, and says so', () => {
  const lines = told()
  const before = 'x'.repeat(1024 * 1024 - 100)
  const file = summaryWith(before)
  tellGithub(['markdown'], source, { GITHUB_STEP_SUMMARY: file })
  expect(readFileSync(file, 'utf8')).toBe(before)
  expect(lines.join('')).toContain('no room')
})

test('a run of very many failures is told worst first, and below the limit by itself', () => {
  const [failed] = run.checks.filter(({ outcome }) => outcome === 'fail')
  const detail = '`|<script>'.repeat(1_000)
  const checks = Array.from({ length: 20_000 }, (_, index) => ({
    ...failed,
    id: `a-${index}`,
    detail,
  }))
  const file = summaryWith('')
  tellGithub(
    ['markdown'],
    { ...source, run: { ...run, checks } as never },
    { GITHUB_STEP_SUMMARY: file },
  )
  const text = readFileSync(file, 'utf8')
  expect(Buffer.byteLength(text)).toBeLessThan(900 * 1024)
  expect(text).toContain('FAIL `a-0`')
  expect(text).toMatch(/more parts? are left out/)
})

test('annotations are printed in GitHub Actions alone', () => {
  const lines = told()
  tellGithub(['github'], source, {})
  expect(lines).toEqual([])
  tellGithub(['github'], source, { GITHUB_ACTIONS: 'true' })
  expect(lines.join('')).toContain('::error title=auth-key-changed-401')
})
