// The files of `petvet load --to k6`: the program with its plan, how it is run, and a manifest for
// Kubernetes. No key is in them.
import { readFileSync } from 'node:fs'
import { version } from '../../engine/run/version.ts'
import { type K6Plan, type K6Request, k6Plan } from './k6-plan.ts'

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')

/** The program with this plan in place of its own, and with a first line that says what it is. */
const formatScript = (plan: K6Plan): string => {
  const written = `// A load for k6, written by petvet ${version}. README.md says how it is run.\n`
  return read('script.js')
    .replace(/^(?:\/\/.*\n)+/, () => written)
    .replace(
      /^\/\*\* @type .*\nconst plan = .*$/m,
      () => `const plan = ${JSON.stringify(plan, null, 2)}`,
    )
}

const listVariables = ({ keys, headers }: K6Plan): string[] => [
  ...new Set([
    ...keys.map(({ variable }) => variable),
    ...headers.flatMap(({ variable }) => variable ?? []),
  ]),
]

const countMinutes = ({ phases }: K6Plan): number =>
  Math.ceil(Math.max(0, ...phases.map((each) => each.startSeconds + each.seconds)) / 60)

/** A template with the values of its `{names}`. */
const fill = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole)

const formatReadme = (plan: K6Plan): string =>
  fill(read('templates/README.md'), {
    scenarios: [...new Set(plan.phases.map(({ scenario }) => scenario))].join(', '),
    variables: listVariables(plan)
      .map((name) => `\`${name}\``)
      .join(', '),
    minutes: `${countMinutes(plan)}`,
  })

const formatManifest = (plan: K6Plan): string => {
  const [head = '', entry = ''] = read('templates/testrun.yaml').split(/^ *# One for each .*\n/m)
  return (
    head +
    listVariables(plan)
      .map((variable) => fill(entry, { variable }))
      .join('')
  )
}

/** @returns the files, and why some scenarios are not in them; no files if none of them is */
export const k6Export = (request: K6Request) => {
  const { plan, missing } = k6Plan(request)
  const files = [
    { file: 'load.k6.js', text: formatScript(plan) },
    { file: 'README.md', text: formatReadme(plan) },
    { file: 'testrun.yaml', text: formatManifest(plan) },
    { file: 'plan.json', text: `${JSON.stringify(plan, null, 2)}\n` },
  ]
  return { files: plan.phases.length === 0 ? [] : files, missing }
}
