// The published schema of thresholds knows every scenario, and none that there is not.
import { expect, test } from 'vitest'
import { scenarios } from './scenarios.ts'
import schema from './thresholds.schema.json' with { type: 'json' }

test('its members are the scenarios', () => {
  const { $schema: _, ...members } = schema.properties
  expect(Object.keys(members).sort()).toEqual(scenarios.map(({ id }) => id).sort())
})
