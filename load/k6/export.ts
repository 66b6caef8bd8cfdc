// The files of `petvet load --to k6`: the script, what to do with it, a TestRun for k6-operator,
// and the plan. No key is in them.
import { version } from '../../engine/version.ts'
import { type K6Plan, type K6Request, k6Plan } from './plan.ts'
import { program } from './script.ts'

interface File {
  readonly file: string
  readonly text: string
}

const scriptOf = (plan: K6Plan): string =>
  [
    `// A load for k6, written by petvet ${version}. README.md says how it is run.`,
    "import http from 'k6/http'",
    "import exec from 'k6/execution'",
    "import { sleep } from 'k6'",
    "import { Counter, Gauge, Rate } from 'k6/metrics'",
    '',
    `const plan = ${JSON.stringify(plan, null, 2)}`,
    program,
  ].join('\n')

const variablesOf = ({ keys, headers }: K6Plan): string[] => [
  ...new Set([
    ...keys.map(({ variable }) => variable),
    ...headers.flatMap(({ variable }) => variable ?? []),
  ]),
]

const minutesOf = ({ phases }: K6Plan): number =>
  Math.ceil(Math.max(0, ...phases.map((each) => each.startSeconds + each.seconds)) / 60)

const readmeOf = (plan: K6Plan): string => {
  const scenarios = [...new Set(plan.phases.map(({ scenario }) => scenario))].join(', ')
  const variables = variablesOf(plan).map((name) => `\`${name}\``)
  return [
    `# A load for k6 (1.0 or later): ${scenarios}`,
    '',
    `- Set ${variables.join(', ')}. Keys must have been idle for two minutes.`,
    `- One machine, ${minutesOf(plan)} min: \`k6 run --out json=1.json.gz load.k6.js\``,
    '- Many machines: the same with `--execution-segment 0:1/4`, `1/4:2/4`, ... and one start for' +
      ' all, `PETVET_START=2026-01-31T12:00:05Z`; else each starts at second 5 of a minute.',
    '- Kubernetes: a secret `petvet-keys` with these variables, `kubectl create configmap' +
      ' petvet-load --from-file load.k6.js`, `kubectl apply -f testrun.yaml`; each log is a file.',
    '- Judge all samples at once: `petvet load --from k6 *.json.gz`',
    '',
  ].join('\n')
}

/** A name of Kubernetes for each. */
const manifestOf = (plan: K6Plan): string =>
  `apiVersion: k6.io/v1alpha1
kind: TestRun
metadata:
  name: petvet-load
spec:
  parallelism: 4
  separate: true
  quiet: "true"
  arguments: --out json --summary-mode=disabled
  script:
    configMap:
      name: petvet-load
      file: load.k6.js
  runner:
    env:
${variablesOf(plan)
  .map(
    (name) => `      - name: ${name}
        valueFrom:
          secretKeyRef:
            name: petvet-keys
            key: ${name}
`,
  )
  .join('')}`

/** @returns the files, and why some scenarios are not in them; no files if none of them is */
export const k6Export = (request: K6Request) => {
  const { plan, missing } = k6Plan(request)
  const files: File[] = [
    { file: 'load.k6.js', text: scriptOf(plan) },
    { file: 'README.md', text: readmeOf(plan) },
    { file: 'testrun.yaml', text: manifestOf(plan) },
    { file: 'plan.json', text: `${JSON.stringify(plan, null, 2)}\n` },
  ]
  return { files: plan.phases.length === 0 ? [] : files, missing }
}
