// `petvet serve`: the reference server until a signal ends it; `petvet mock`: the Prism mock.
// And the reference as the target of other commands.

import { randomBytes } from 'node:crypto'
import { keyOptions, splitKey } from '../../config/given-keys.ts'
import type { Target } from '../../config/target.ts'
import { didYouMean, portBounds, UsageError, wholeNumber } from '../../config/values.ts'
import { permissions } from '../../engine/check/context.ts'
import type { KeyOption } from '../../engine/check/spendable-keys.ts'
import { plainTarget } from '../../engine/run/run-options.ts'
import { isToken } from '../../reference/issued-keys.ts'
import { startPrism } from '../../reference/prism.ts'
import { startReference } from '../../reference/start.ts'
import type { Variant } from '../../reference/variant.ts'
import * as cli from '../command.ts'
import { interruptible, untilInterrupted } from '../output/folder.ts'

/** Two of one plan, so that one may be banned, and one each of two others. */
export const madeUpKeys = (): readonly KeyOption[] =>
  keyOptions(
    ['free', 'free', 'pro', 'business'].map((plan) => ({
      plan,
      key: `${plan}-${randomBytes(12).toString('hex')}`,
    })),
    {},
  )

const reportFault = (fault: unknown): void =>
  console.error('petvet: a fault of the reference:', fault)

export const startBuiltIn = async (keys = madeUpKeys()) => {
  const { url, clockUrl, descriptionUrl, close } = await startReference({
    keys,
    clockPort: 0,
    onFault: reportFault,
  })
  const target: Target = {
    ...plainTarget,
    baseUrl: url,
    clockUrl: clockUrl ?? null,
    descriptionUrl,
    keys,
    allow: permissions,
  }
  return { target, close }
}

export const mock = cli.command(
  { port: cli.number('port of the API; 0: any [default: 4010]', portBounds) },
  ({ port = 4010 }) =>
    serveUntilSignal(
      () => startPrism(port),
      ({ url }) => [`api ${url}`],
    ),
)

const readKeys = (flag: string, typed: string): readonly KeyOption[] => {
  const given = typed.split(',').map((each) => splitKey(each, flag))
  const keys = keyOptions(given, process.env)
  const wrong = keys.find(({ key }) => !isToken(key))
  if (wrong === undefined) return keys
  const allowed = 'letters, digits and ._~+/-, and = at the end'
  throw new UsageError(`the ${wrong.plan} key of ${flag} is no bearer token; allowed: ${allowed}`)
}

const flags = {
  port: cli.number('port of the API; 0: any [default: 8080]', portBounds),
  keys: cli.text('keys it accepts: free=K,pro=K,business=K [default: made up, one of each]', {
    read: readKeys,
  }),
  clock: cli.argument('with a test clock, on this port [default: any]', {
    read: (flag: string, typed: string) => wholeNumber(flag, typed || '0', portBounds),
  }),
  mutant: cli.text('with the fault of a mutant, or as a legal variant, by its id'),
  // Small ones are for a client in a language without int64.
  'first-id': cli.number('id of the first pet [default: 2^53 + 1]', {
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
  }),
} as const

export const serve = cli.command(flags, async (given) => {
  const { port = 8080, keys = madeUpKeys(), clock: clockPort } = given
  const variant = given.mutant === undefined ? {} : await variantOf(given.mutant)
  const firstId = given['first-id'] === undefined ? {} : { firstId: BigInt(given['first-id']) }
  const clock = clockPort === undefined ? {} : { clockPort }
  const options = { port, keys, variant, ...firstId, ...clock, onFault: reportFault }
  return serveUntilSignal(
    () => startReference(options),
    ({ url, clockUrl, descriptionUrl }) => [
      `api ${url}`,
      ...(clockUrl === undefined ? [] : [`clock ${clockUrl}`]),
      `description ${descriptionUrl}`,
      ...keys.map(({ plan, key }) => `key ${plan} ${key}`),
    ],
  )
})

/** @param linesOf what is printed when the server is ready */
const serveUntilSignal = async <S extends { readonly close: () => Promise<void> }>(
  start: () => Promise<S>,
  linesOf: (server: S) => readonly string[],
): Promise<number> => {
  await interruptible(async (signal) => {
    const server = await start().catch(refusePort)
    process.stdout.write(
      linesOf(server)
        .map((line) => `petvet: ${line}\n`)
        .join(''),
    )
    await untilInterrupted(signal)
    await server.close()
    return 0
  })
  // A signal is how it is meant to end.
  return 0
}

const variantOf = async (id: string): Promise<Variant> => {
  const { servers } = await import('../../proof/subjects.ts')
  const { loadMutants } = await import('../../reference/mutants/concurrency/in-flight.ts')
  const all = [...servers, ...loadMutants.map((mutant) => ({ id: mutant.id, variant: mutant }))]
  const found = all.find((each) => each.id === id)
  if (found) return found.variant
  const ids = all.map((each) => each.id)
  const hint = didYouMean(id, ids, 'petvet mutants --list prints all')
  throw new UsageError(`unknown mutant "${id}"${hint}`)
}

/** Errors about the port as one line. @throws UsageError */
const refusePort = (error: NodeJS.ErrnoException & { port?: number }) => {
  const { code, port } = error
  if (code === 'EADDRINUSE') {
    throw new UsageError(`port ${port} is in use: choose another, or 0 for any`)
  }
  if (code === 'EACCES') throw new UsageError(`port ${port} is not allowed: choose another`)
  throw error
}
