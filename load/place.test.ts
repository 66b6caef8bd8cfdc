// The addresses of a host: several or none, and never an error.
import { expect, test } from 'vitest'
import { addressesOf } from './place.ts'

test.for(['http://127.0.0.1:8080/v1', 'http://[::1]/v1', 'http://localhost/v1'])(
  '%s has no others',
  async (baseUrl) => {
    expect(await addressesOf(baseUrl)).toEqual([])
  },
)

test('a host that there is not has none either: the first request tells that', async () => {
  expect(await addressesOf('http://no-such-host.invalid/v1')).toEqual([])
})
