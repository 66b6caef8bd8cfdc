// In virtual time: whatever is sent, the status of no response of a legal server is not due.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { completes, NoResponseError, Untested } from '../../history/outcome.ts'
import { createdClauses } from '../../model/created.ts'
import { errorClauses } from '../../model/errors.ts'
import { formClauses } from '../../model/form.ts'
import { keyClauses } from '../../model/keys.ts'
import { shownClauses } from '../../model/shown.ts'
import { statusDue } from '../../model/status.ts'
import { isServer, listAlarms, makeTarget, type Server, subjects } from '../../proof/subjects.ts'
import { openVirtually, runVirtually } from '../../proof/virtual-run.ts'
import { catalogue } from '../../suites/index.ts'
import { anyRequest } from '../any-request.ts'
import { check } from '../plain-checks.ts'
import { isProof, sample } from '../sample.ts'
import { keyOf } from '../vet-reference.ts'

const numRequests = isProof ? 20_000 : 1_500
const seed = Number(process.env.PETVET_SEED ?? 20_261_128)

/** A request that is refused or lost says nothing; the next one is sent all the same. */
const drawn = check('drawn', 'service.operations', { stage: 'creations' }, async (context) => {
  await completes(context.control('create'))
  for (const request of fc.sample(anyRequest, { seed, numRuns: numRequests })) {
    await context.call(request).catch((error) => {
      if (!(error instanceof Untested || error instanceof NoResponseError)) throw error
    })
  }
})

const probe = catalogue.filter(({ id }) => id === 'create-category-unknown')
const clauses = [...formClauses, ...createdClauses, ...shownClauses, ...errorClauses, ...keyClauses]

const runAt = (server: Server) => {
  const around = { maxRequests: 2 * numRequests, categories: server.categories, hasClock: true }
  const world = openVirtually(makeTarget(server), [keyOf('business', 'any')], around)
  return runVirtually(world, [...probe, drawn, ...clauses, statusDue])
}

const legal = subjects.filter(isServer).filter(({ kind }) => kind === 'legal')

test.for(sample(legal, 40).map((server) => [server.id, server] as const))(
  'nothing is wrong at %s',
  { timeout: 300_000 },
  async ([, server]) => {
    const run = await runAt(server)
    // A server whose responses are long fills what a run may keep.
    expect(run.requests).toBeGreaterThan(numRequests / 4)
    // One that breaks a should on purpose breaks it here as well.
    const warns = server.warns.length > 0 ? [...server.warns, statusDue.id, drawn.id] : []
    expect(listAlarms({ ...server, warns }, run)).toEqual([])
    const { outcome } = run.checks.find(({ id }) => id === statusDue.id) ?? {}
    // What it finds of such a one the check that drew them reports.
    expect(warns.length > 0 ? ['pass', 'warn', 'inapplicable'] : ['pass']).toContain(outcome)
  },
)
