// The texts that `petvet init` writes: a configuration, and a workflow that runs it.
import { version } from '../../../engine/run/version.ts'
import type { Plan } from '../../../spec/plans.ts'

/** The services that a workflow can be written for. */
export const ciNames = ['github', 'gitlab', 'none'] as const

export interface Answers {
  readonly target: string
  readonly plans: readonly Plan[]
  readonly clock: string | null
  readonly ci: (typeof ciNames)[number]
}

export interface InitFile {
  /** From the folder of the project. */
  readonly path: string
  readonly text: string
}

/** `FREE_KEY`, and `FREE_KEY_2` for the second of a plan. */
export const listVariables = ({ plans }: Answers): readonly string[] =>
  plans.map((plan, index) => {
    const position = plans.slice(0, index + 1).filter((each) => each === plan).length
    return `${plan.toUpperCase()}_KEY${position === 1 ? '' : `_${position}`}`
  })

const configText = (answers: Answers): string => {
  const variables = listVariables(answers)
  const keys = answers.plans.map((plan, index) => {
    const numbers = plan === 'enterprise' ? ', perMinute: 5000, perDay: 1000000' : ''
    return `  - { plan: ${plan}, key: $${variables[index]}${numbers} }`
  })
  return [
    '# What `petvet check` and `petvet load` vet. Flags of the command line win over it.',
    `target: ${JSON.stringify(answers.target)}`,
    '# A key of $NAME is read from the environment; a key itself does not belong here.',
    'keys:',
    ...keys,
    ...(answers.plans.includes('enterprise')
      ? ['# perMinute and perDay of an enterprise key are what was agreed: put yours.']
      : []),
    ...(answers.clock === null
      ? ['# clock: http://127.0.0.1:8081/clock  # a test clock turns minutes into milliseconds']
      : [`clock: ${JSON.stringify(answers.clock)}`]),
    '# categories: [1, "9007199254740993"]  # needed if the server refuses unknown ones',
    '# allow: [write, exhaust, ban]  # default: reads only, except on localhost',
    '# shared: true  # other clients use these keys too',
    '',
  ].join('\n')
}

/** Named, so that where it is missing nothing else is vetted. */
const configName = 'petvet.config.yaml'

/** Before the keys are there, and without the scripts of any package. */
const install = `npm install --global --ignore-scripts petvet@${version}`

const commandWith = (formats: string): string =>
  `petvet check --config ${configName} --report ${formats} --out petvet-run`

/** Actions by the commit of a release, which nobody can put another one in the place of. */
const actions = {
  checkout: 'actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2',
  node: 'actions/setup-node@53b83947a5a98c8d113130e565377fae1a50d02f # v6.3.0',
  upload: 'actions/upload-artifact@043fb46d1a93c77aae656e7c1c64a875d1fc6a0a # v7.0.1',
}

const githubText = (answers: Answers): string =>
  [
    'name: petvet',
    'on: [push, workflow_dispatch]',
    'permissions:',
    '  contents: read',
    'jobs:',
    '  vet:',
    '    runs-on: ubuntu-latest',
    '    timeout-minutes: 30',
    '    steps:',
    `      - uses: ${actions.checkout}`,
    '        with:',
    '          persist-credentials: false',
    `      - uses: ${actions.node}`,
    '        with:',
    '          node-version: 24',
    `      - run: ${install}`,
    '      # Start your server here, unless the target of petvet.config.yaml is one that runs.',
    `      - run: ${commandWith('html,markdown,github')}`,
    '        env:',
    ...listVariables(answers).map((name) => `          ${name}: \${{ secrets.${name} }}`),
    `      - uses: ${actions.upload}`,
    '        if: always()',
    '        with:',
    '          name: petvet-run',
    '          path: petvet-run',
    '',
  ].join('\n')

const gitlabText = (answers: Answers): string =>
  [
    `# Set ${listVariables(answers).join(', ')} under Settings, CI/CD, Variables, masked.`,
    'petvet:',
    '  image: node:24',
    '  timeout: 30 minutes',
    '  script:',
    '    # The keys are variables of the job, and npm has no use for them.',
    `    - env -i PATH="$PATH" HOME="$HOME" ${install}`,
    '    # Start your server here, unless the target of petvet.config.yaml is one that runs.',
    `    - ${commandWith('html,junit')}`,
    '  artifacts:',
    '    when: always',
    '    paths: [petvet-run]',
    '    reports:',
    '      junit: petvet-run/junit.xml',
    '',
  ].join('\n')

export const formatInitFiles = (answers: Answers): readonly InitFile[] => {
  const config = { path: configName, text: configText(answers) }
  switch (answers.ci) {
    case 'github':
      return [config, { path: '.github/workflows/petvet.yml', text: githubText(answers) }]
    case 'gitlab':
      return [config, { path: '.gitlab/petvet.gitlab-ci.yml', text: gitlabText(answers) }]
    case 'none':
      return [config]
  }
}
