// The folder of a load for Locust: the program, the plan that it reads, and how to run it.
import { readFileSync } from 'node:fs'
import type { RunOptions } from '../../engine/run/run-options.ts'
import { labelKeys, version } from '../../engine/run/run-options.ts'
import type { LoadSettings, Scenario } from '../scenario.ts'
import { chooseDistributed, type LocustPlan, makePlan, type PlanInput, settingsOf } from './plan.ts'

export const planName = 'plan.json'
const caName = 'ca.pem'

const own = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')

type Target = Pick<
  RunOptions,
  'baseUrl' | 'keys' | 'allow' | 'shared' | 'headers' | 'secrets' | 'reach'
>

interface Given {
  readonly load: LoadSettings
  readonly responseTimeoutMs: number
}

/** Header values with `${NAME}` in place of secrets, for the workers to fill in. */
const templates = (
  { headers, secrets }: Target,
  keys: readonly { key: string; variable: string }[],
) => {
  const hidden = [...secrets, ...keys.map(({ key, variable }) => ({ text: key, name: variable }))]
  const escaped = (text: string) => text.replaceAll('$', '$$$$')
  const templateOf = (value: string) =>
    hidden.reduce(
      (text, each) => text.replaceAll(escaped(each.text), () => `\${${each.name}}`),
      escaped(value),
    )
  const names = secrets.map(({ name }) => name)
  return { headers: headers.map(([name, value]) => [name, templateOf(value)] as const), names }
}

/** @throws Error of one line where there can be no such plan */
export const filesForLocust = (target: Target, given: Given, all: readonly Scenario[]) => {
  const { reach, baseUrl, allow, shared } = target
  if (reach.insecure) throw new Error('Locust verifies certificates: give --ca, not --insecure')
  if (reach.identity) throw new Error('a client certificate cannot be used with --to locust')
  const keys = labelKeys(target.keys)
  if (keys.some(({ key }) => baseUrl.includes(key))) throw new Error('the base URL has a key in it')
  const { headers, names } = templates(target, keys)
  const input: PlanInput = {
    petvet: version,
    baseUrl,
    keys: keys.map(({ plan, quota, use, variable }) => ({
      plan,
      quota,
      ...(use && { use }),
      variable,
    })),
    allow,
    shared,
    ...given.load,
    scenarios: [],
    timeoutSeconds: given.responseTimeoutMs / 1_000,
    headers,
    secrets: names,
    ca: reach.ca === null ? null : caName,
  }
  const { planned, leftOut } = chooseDistributed(all, settingsOf(input))
  const [only] = leftOut
  if (planned.length === 0) throw new Error(`no scenario is left: ${only?.id}: ${only?.why}`)
  const plan = makePlan({ ...input, scenarios: planned })
  const files: [name: string, text: string][] = [
    ['locustfile.py', own('locustfile.py')],
    ['requirements.txt', own('requirements.txt')],
    [planName, `${JSON.stringify(plan, null, 2)}\n`],
    ['README.md', readme(plan)],
  ]
  if (reach.ca !== null) files.push([caName, reach.ca])
  return { files, plan, leftOut }
}

const readme = ({ id, input, users, requests, seconds, keys, secrets }: LocustPlan): string => {
  const names = [...new Set([...keys.map(({ variable }) => variable), ...secrets])]
  return `# A load on ${input.baseUrl}

${input.scenarios.join(', ')}: ${requests} requests of ${users} users within ${seconds} seconds. The
plan is ${id}. No key may have been used in the two minutes before, and its day must suffice.

Python 3.10 or newer, on each machine, with a copy of this folder:

\`\`\`sh
python3 -m venv venv
venv/bin/pip install -r requirements.txt
\`\`\`

The keys come from the environment of each worker; no file has them:
${names.map((name) => `\`${name}\``).join(', ')}.

On one machine, with a process for each of four workers:

\`\`\`sh
venv/bin/locust --headless --processes 4
\`\`\`

On several: the master, which sends nothing and needs no key, and on each machine a worker for each
of its processors.

\`\`\`sh
venv/bin/locust --headless --master --expect-workers 4
venv/bin/locust --worker --master-host ADDRESS-OF-THE-MASTER
\`\`\`

Each worker writes \`samples-RUN-WORKER.ndjson\` next to this file. Copy all of them to one folder,
which \`petvet\` judges:

\`\`\`sh
petvet load --from .
\`\`\`
`
}
