// The first steps of a walk: caches and replicas may return a list as it was before it grew.

import { createPet, getPet, listPets } from '../pets/requests.ts'
import type { MakeRequest, Step } from './scene.ts'

const creation =
  (status: string | undefined): MakeRequest =>
  ({ context }) =>
    createPet(context.newPet(status === undefined ? {} : { status }))

const fetchOf =
  (nth: number): MakeRequest =>
  ({ created }) => {
    const id = created.at(nth)
    return id === undefined ? undefined : getPet(id)
  }

const send = (...requests: readonly MakeRequest[]): Step => ({ kind: 'send', requests })

export const growing: readonly Step[] = [
  send(creation('sold')),
  send(() => listPets({ status: 'sold', limit: 1 })),
  send(creation('sold')),
  send(() => listPets({ status: 'sold', limit: 100 })),
  send(creation(undefined)),
  send(fetchOf(-1)),
  send(creation('pending')),
  send(fetchOf(0)),
]
