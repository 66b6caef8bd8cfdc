// Variations of a request: legal however they are drawn.
import { expect, test } from 'vitest'
import { get } from '../../engine/check/exchange.ts'
import { parseJson } from '../../engine/check/json.ts'
import { createPet } from '../pets/requests.ts'
import { variationsBySeed, withVariations } from './variations.ts'

const pet = { name: 'a/b "é" \\ 🐈 \u2028', categoryId: 9007199254740993n, status: 'sold' }
const asking = /^(?:if-|expect$|range$|upgrade|authorization$|host$|content-length$|transfer-)/
const seeds = Array.from({ length: 400 }, (_, at) => at * 7919)

test('however its JSON is written, the value stays the same', () => {
  const bodies = seeds.map(
    (seed) => withVariations(createPet(pet), variationsBySeed('POST', seed, 0)).body as string,
  )
  for (const body of bodies) expect(parseJson(body)).toEqual(pet)
  expect(new Set(bodies).size).toBeGreaterThan(50)
})

test('fields ask for nothing, are single, and fit into a head', () => {
  for (const seed of seeds) {
    const { headers } = withVariations(get('/pets'), variationsBySeed('GET', seed, 0))
    const names = headers.map(([name]) => name.toLowerCase())
    expect(new Set(names).size).toBe(names.length)
    expect(names.filter((name) => asking.test(name))).toEqual([])
    expect(headers.flat().join('').length).toBeLessThan(2_500)
    for (const part of headers.flat()) expect(part).toMatch(/^[!-~](?:[ -~]*[!-~])?$/)
  }
})
