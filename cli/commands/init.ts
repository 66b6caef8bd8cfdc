// `petvet init`: a configuration file and a CI workflow to start from.
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { type Config, defaultNames, findConfig } from '../../config/config-file.ts'
import { variableName } from '../../config/given-keys.ts'
import { orRefuse, readAddress, readBaseUrl, readPlan, UsageError } from '../../config/values.ts'
import { version } from '../../engine/run/version.ts'
import { makeFolder, writeWhole } from '../../reports/run-folder.ts'
import type { Plan } from '../../spec/plans.ts'
import * as cli from '../command.ts'
import { say } from '../output/progress.ts'

interface Answers {
  readonly target: string
  readonly plans: readonly Plan[]
  readonly clock?: string | undefined
  readonly ci?: string | undefined
  /** The configuration that exists already, and stays as it is. */
  readonly existing?: { readonly name: string; readonly config: Config } | undefined
}

/** `FREE_KEY`, and `FREE_KEY_2` for the second of a plan; or those of what exists. */
const listVariables = ({ plans, existing }: Answers): readonly string[] =>
  existing?.config.keys?.flatMap(({ key }) => variableName(key) ?? []) ??
  plans.map((plan, index) => {
    const position = plans.slice(0, index + 1).filter((each) => each === plan).length
    return `${plan.toUpperCase()}_KEY${position === 1 ? '' : `_${position}`}`
  })

const enterpriseQuota = ', perMinute: 5000, perDay: 1000000 }  # what was agreed: put yours'

const noClock =
  '# clock: http://127.0.0.1:8081/clock  # a test clock turns minutes into milliseconds'

const [configName = ''] = defaultNames

/**
 * What is written where, from which template. Actions are named by the commit of a release, which
 * nobody can put another one in the place of.
 */
const files = [
  ['config', configName, configName],
  ['github', '.github/workflows/petvet.yml', 'github.yml'],
  ['gitlab', '.gitlab/petvet.gitlab-ci.yml', 'gitlab.yml'],
] as const

/** The templates in `cli/init/`, with the answers in the place of each `%name%`. */
export const formatInitFiles = (answers: Answers) => {
  const variables = listVariables(answers)
  const values: Readonly<Record<string, string>> = {
    target: JSON.stringify(answers.target),
    keys: answers.plans
      .map((plan, at) => {
        const end = plan === 'enterprise' ? enterpriseQuota : ' }'
        return `  - { plan: ${plan}, key: $${variables[at]}${end}`
      })
      .join('\n'),
    clock: answers.clock === undefined ? noClock : `clock: ${JSON.stringify(answers.clock)}`,
    secrets: variables.map((name) => `          ${name}: \${{ secrets.${name} }}`).join('\n'),
    variables: variables.join(', '),
    config: answers.existing?.name ?? configName,
    version,
  }
  return files
    .filter(([of]) => (of === 'config' ? !answers.existing : of === answers.ci))
    .map(([, path, name]) => {
      const template = readFileSync(new URL(`../init/${name}`, import.meta.url), 'utf8')
      const text = template.replace(/%(\w+)%/g, (_, value: string) => values[value] ?? '')
      return { path, text }
    })
}

const usualTarget = 'http://127.0.0.1:8080/v1'

const plansOnly = 'name the plan of each key, not the key: petvet reads it from the environment'

const flags = {
  'base-url': cli.argument(`base URL, version prefix included [default: ${usualTarget}]`, {
    read: (_flag: string, typed: string) => readBaseUrl(typed).href.replace(/\/$/, ''),
  }),
  plan: cli.texts('plan of a key, repeatable: twice for two keys of it [default: free]', {
    read: (_flag: string, typed: string) => readPlan(typed, plansOnly),
  }),
  clock: cli.text("address of the target's test clock", {
    read: (_flag: string, typed: string) => readAddress('clock', typed).href,
  }),
  ci: {
    choices: ['github', 'gitlab', 'none'],
    requiresArg: true,
    describe: 'CI service to write a workflow for [default: none]',
  },
  force: cli.toggle('overwrite existing files'),
} as const

export const init = cli.command(flags, (given) => {
  const { 'base-url': target = usualTarget, plan: plans = ['free'], clock, ci, force } = given
  if (!new URL(target).pathname.endsWith('/v1')) {
    const what = `${target} does not end in /v1, as base URLs of the interface do`
    say(`${what}: is it the right one?`)
  }
  const existing = ci === undefined || ci === 'none' || force ? undefined : existingConfig()
  if (existing) say(`${existing.name} stays as it is`)
  const answers = { target, plans, clock, ci, existing }
  const made = formatInitFiles(answers)
  writeAll(made, force ?? false)
  const written = made.map(({ path }) => `wrote ${path}\n`)
  const exports = listVariables(answers).map((name) => `  export ${name}=...\n`)
  const include = 'and in .gitlab-ci.yml: include: .gitlab/petvet.gitlab-ci.yml\n'
  const lines = [...written, '\nNext:\n', ...exports, '  petvet plan\n  petvet check\n']
  process.stdout.write([...lines, ci === 'gitlab' ? include : ''].join(''))
  return 0
})

/** A configuration that may have been edited: a workflow is written next to it. */
const existingConfig = (): Answers['existing'] => {
  const name = defaultNames.find(existsSync)
  return name === undefined ? undefined : { name, config: findConfig(name, process.cwd()).config }
}

/** All of them or none: every obstacle is found before the first file is written. */
const writeAll = (files: ReturnType<typeof formatInitFiles>, isForced: boolean): void => {
  const paths = files.map(({ path }) => path)
  // Only one configuration is read.
  const existing = [...(paths.includes(configName) ? defaultNames : []), ...paths].find(existsSync)
  if (existing && !isForced) {
    throw new UsageError(`${existing} already exists: add --force, or move it`)
  }
  for (const { path } of files) {
    orRefuse(
      () => makeFolder(resolve(dirname(path))),
      ({ code }) => `cannot write ${path}: ${code}`,
    )
  }
  for (const { path, text } of files) writeWhole(dirname(path), basename(path), text)
}
