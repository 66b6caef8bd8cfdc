// Lanes: checks that run at the same time, each lane on a connection of its own.

import { AsyncLocalStorage } from 'node:async_hooks'

const lanes = new AsyncLocalStorage<number>()

/** The lane of what is done now: 0 where one check runs after another. */
export const currentLane = (): number => lanes.getStore() ?? 0

/** Does something in a lane, with all that it causes. */
export const inLane = <T>(lane: number, act: () => Promise<T>): Promise<T> => lanes.run(lane, act)
