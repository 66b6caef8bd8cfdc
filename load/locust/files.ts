// The folder of a load for Locust: the program, the plan that it reads, and how to run it.
import { readFileSync } from 'node:fs'
import { labelKeys, type RunOptions } from '../../engine/run/run-options.ts'
import { type LoadSettings, missingFor, type Scenario } from '../scenario.ts'
import { type LocustPlan, makePlan, type PlanInput, settingsOf } from './plan.ts'

export const planName = 'plan.json'

type Target = Pick<
  RunOptions,
  'baseUrl' | 'keys' | 'allow' | 'shared' | 'headers' | 'secrets' | 'reach'
>

export interface Planned {
  readonly scenarios: readonly Scenario[]
  readonly load: LoadSettings
  readonly maxRequests: number
  readonly responseTimeoutMs: number
}

const copied = (name: string) =>
  [name, readFileSync(new URL(name, import.meta.url), 'utf8')] as const

const alone = 'it sends single requests, which one machine does: leave out --to'

/** @throws Error of one line where there can be no such plan */
export const filesForLocust = (target: Target, given: Planned) => {
  const { reach, baseUrl, allow, shared, secrets } = target
  if (reach.insecure) throw new Error('Locust verifies certificates: give --ca, not --insecure')
  if (reach.identity) throw new Error('a client certificate cannot be used with --to locust')
  const keys = labelKeys(target.keys)
  if (keys.some(({ key }) => baseUrl.includes(key))) throw new Error('the base URL has a key in it')
  const hidden = [...secrets, ...keys.map(({ key, variable }) => ({ text: key, name: variable }))]
  const input: PlanInput = {
    ...{ baseUrl, allow, shared, ...given.load, scenarios: [] },
    keys: keys.map(({ key: _, ...rest }) => rest),
    timeoutSeconds: given.responseTimeoutMs / 1_000,
    headers: target.headers.map(([name, value]) => [name, templateOf(value, hidden)]),
    secrets: secrets.map(({ name }) => name),
    ca: reach.ca && 'ca.pem',
  }
  const settings = settingsOf(input)
  const whyNot = (each: Scenario) =>
    each.distributed ? missingFor(each, settings)?.message : alone
  const all = given.scenarios.map((each) => ({ id: each.id, why: whyNot(each) }))
  const leftOut = all.filter(({ why }) => why !== undefined)
  const scenarios = all.filter(({ why }) => why === undefined).map(({ id }) => id)
  if (scenarios.length === 0) {
    throw new Error(`no scenario is left: ${leftOut[0]?.id}: ${leftOut[0]?.why}`)
  }
  const plan = makePlan({ ...input, scenarios })
  if (plan.requests > given.maxRequests) {
    const most = `more than the ${given.maxRequests} of --max-requests`
    throw new Error(`the plan has ${plan.requests} requests, ${most}`)
  }
  const files: (readonly [name: string, text: string])[] = [
    ...[copied('locustfile.py'), copied('requirements.txt')],
    [planName, `${JSON.stringify(plan, null, 2)}\n`],
    ['README.md', readme(plan)],
  ]
  if (reach.ca && plan.ca) files.push([plan.ca, reach.ca])
  return { files, plan, leftOut }
}

/** A header value with `${NAME}` in place of secrets, for the workers to fill in. */
const templateOf = (value: string, hidden: RunOptions['secrets']): string => {
  const escaped = (text: string) => text.replaceAll('$', '$$$$')
  return hidden.reduce(
    (text, { text: secret, name }) => text.replaceAll(escaped(secret), () => `\${${name}}`),
    escaped(value),
  )
}

const readme = ({ baseUrl, scenarios, users, requests, seconds, keys, secrets }: LocustPlan) => {
  const names = [...new Set([...keys.map(({ variable }) => variable), ...secrets])]
  return `# A load on ${baseUrl}

${scenarios.join(', ')}: ${requests} requests of ${users} users within ${seconds} seconds.
No key may have been used in the two minutes before, and its day must suffice.

A copy of this folder goes to each machine, with Python 3.10 or newer. The keys come from the
environment of each worker: ${names.map((name) => `\`${name}\``).join(', ')}.

\`\`\`sh
python3 -m venv venv && venv/bin/pip install -r requirements.txt
venv/bin/locust --headless --processes 4                      # one machine
venv/bin/locust --headless --master --expect-workers 8        # several: the master,
venv/bin/locust --worker --master-host ADDRESS-OF-THE-MASTER  # and each worker
petvet load --from .                                          # with the files of all workers
\`\`\`
`
}
