// What `petvet init` writes is what its page shows.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readAnswers } from '../init.ts'
import { filesOf } from './texts.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/implementer.md'), 'utf8')

test('the configuration of the page is the one of its command', async () => {
  const [, shown] = /^```yaml petvet\.config\.yaml\n(.*?)^```$/ms.exec(page) ?? []
  const [, address, clock] = /^petvet init (\S+) .*--clock (\S+)/m.exec(page) ?? []
  const answers = await readAnswers(
    { 'base-url': address, plan: ['free', 'free'], clock, ci: 'github', force: undefined },
    null,
  )
  const [config, workflow] = filesOf(answers)
  expect(config).toEqual({ path: 'petvet.config.yaml', text: shown })
  expect(page).toContain(`\`${workflow?.path}\``)
})
