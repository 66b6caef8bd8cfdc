// Which spellings of a category have to come back unchanged.
import { describe, expect, test } from 'vitest'
import type { Context } from '../../engine/context.ts'
import { createHerd } from '../../engine/herd.ts'
import { post } from '../../engine/request.ts'
import { fakeExchange } from '../../tests/fake-exchange.ts'
import { createCategories } from './categories.ts'

const neverChanged = createCategories.find(({ id }) => id === 'create-category-never-changed')

/** Judges one creation with this category, sent and returned. */
const judge = async (sent: string, returned: string): Promise<string> => {
  const { herd, learn } = createHerd()
  const asked = post('/pets', `{"name":"petvet-\\"categoryId\\":1","categoryId":${sent}}`)
  const body = `{"id":1,"name":"petvet","categoryId":${returned}}`
  learn(fakeExchange(asked, { status: 201, body }))
  const context = { herd, allow: ['write'], categories: { free: true, known: [] } }
  try {
    await neverChanged?.run(context as unknown as Context)
    return 'holds'
  } catch (error) {
    return (error as Error).message
  }
}

describe('a category that was written as an integer', () => {
  test.for([
    ['9007199254740993', '9007199254740993', 'holds'],
    ['9007199254740993', '9007199254740992', 'categoryId 9007199254740992'],
    ['-1', '1', 'expected categoryId -1'],
    [' 7 ', '7', 'holds'],
  ] as const)('%s returned as %s: %s', async ([sent, returned, says]) => {
    expect(await judge(sent, returned)).toContain(says)
  })
})

test.for(['9007199254740993.0', '9007199254740993e0', '9007199254740993E0'])(
  '%s may come back as a double',
  async (sent) => {
    expect(await judge(sent, '9007199254740992')).toContain('no animal was created')
  },
)
