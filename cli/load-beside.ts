// The servers that the same load is put on beside the target: the Prism mock and the reference.

import type { KeyOption, RunOptions } from '../engine/run-options.ts'
import type { LoadServer } from '../load/place.ts'
import { startPrism } from '../reference/prism.ts'
import { plainTarget, startReferenceWith } from './built-in.ts'

interface Started {
  readonly server: LoadServer
  readonly close: () => Promise<void>
}

/** Keys of the same plans, made up: those of the target are for the target alone. */
const madeUp = (keys: readonly KeyOption[]): KeyOption[] =>
  keys.map((key, at) => ({ ...key, key: `made-up-key-${at + 1}-of-petvet` }))

/** Prism counts nothing and takes any key. */
export const startMockBeside = async (target: RunOptions): Promise<Started> => {
  const mock = await startPrism(0)
  const options = {
    ...target,
    ...plainTarget,
    allow: target.allow,
    baseUrl: mock.url,
    keys: madeUp(target.keys),
  }
  return {
    server: { column: 'prism', options, isStateless: true, received: null },
    close: mock.close,
  }
}

export const startReferenceBeside = async (target: RunOptions): Promise<Started> => {
  const { target: reference, received, close } = await startReferenceWith(madeUp(target.keys))
  const options = { ...target, ...reference, allow: target.allow }
  return { server: { column: 'reference', options, isStateless: false, received }, close }
}
