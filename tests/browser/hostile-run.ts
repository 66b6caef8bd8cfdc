// A run of a target that attacks the reader of the report: scripts, markup, long bodies.

import type { CheckResult, RunFile } from '../../engine/check/run-file.ts'
import { text } from '../../history/text.ts'
import { fakeLoad } from '../fakes/fake-load.ts'

/** Each would be noticed: a dialog, a request, an error, or a mark on the page. */
const attacks = [
  '<script>alert(1)</script>',
  '</code></pre></div><img src="http://127.0.0.1:9/x.png" onerror="alert(2)">',
  '"><svg onload=alert(3)>',
  `' onmouseover='alert(4)' x='`,
  '<iframe src="http://127.0.0.1:9/"></iframe><base href="http://127.0.0.1:9/">',
  '<style>main{display:none}</style><link rel="stylesheet" href="http://127.0.0.1:9/x.css">',
  '<meta http-equiv="refresh" content="0;url=http://127.0.0.1:9/">',
  '-->]]></script></style></title></textarea><script>alert(5)</script>',
  '{{alert(6)}} javascript:alert(7)',
  '##[error]a ##vso[task.setvariable variable=b;isOutput=true]c',
  '::set-output name=a::b',
  '\u202egnp.\u001b]8;;http://127.0.0.1:9/\u0007\u0000\u2028',
]

const hostile = attacks.join('\n')
const megabyte = hostile.repeat(Math.ceil(1_048_576 / hostile.length)).slice(0, 1_048_576)

const withEvidence = (result: CheckResult, body: string): CheckResult => ({
  ...result,
  expected: text(`an Error; ${hostile}`),
  actual: text(`200 ${hostile} (minimal failing input: ${hostile})`),
  detail: hostile,
  evidence: [
    ...result.evidence,
    {
      seq: 7,
      request: {
        method: 'POST',
        url: `http://127.0.0.1:8080/v1/pets?status=${hostile}`,
        headers: [['Authorization', 'Bearer $PETVET_KEY']],
        body: hostile,
      },
      response: {
        status: 200,
        headers: [
          ['X-Hostile', hostile],
          [hostile, 'x'.repeat(100_000)],
        ],
        body,
      },
      curl: `curl -sS 'http://127.0.0.1:8080/v1/pets' --data-binary '${hostile}'`,
    },
  ],
})

/** @param sample a run that holds every outcome */
export const hostileRun = (sample: RunFile): RunFile => ({
  ...sample,
  target: { ...sample.target, baseUrl: `http://127.0.0.1:8080/v1` },
  notes: [hostile],
  checks: sample.checks.map((result) =>
    ['fail', 'warn', 'error'].includes(result.outcome)
      ? withEvidence(result, result.outcome === 'fail' ? megabyte : hostile)
      : { ...result, detail: hostile },
  ),
  observations: Object.fromEntries(Object.keys(sample.observations).map((id) => [id, hostile])),
  load: [fakeLoad],
})
