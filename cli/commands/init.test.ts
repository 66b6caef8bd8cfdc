// What `petvet init` writes is what its page shows.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatInitFiles } from './init.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/implementer.md'), 'utf8')

test('the configuration of the page is the one of its command', () => {
  const [, shown] = /^```yaml petvet\.config\.yaml\n(.*?)^```$/ms.exec(page) ?? []
  const [, target = '', clock = ''] = /^petvet init (\S+) .*--clock (\S+)/m.exec(page) ?? []
  const [config, workflow] = formatInitFiles({
    target,
    plans: ['free', 'free'],
    clock,
    ci: 'github',
  })
  expect(config).toEqual({ path: 'petvet.config.yaml', text: shown })
  expect(page).toContain(`\`${workflow?.path}\``)
})
