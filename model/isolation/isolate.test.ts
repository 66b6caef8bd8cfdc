// What of a request may matter to its status.
import { expect, test } from 'vitest'
import { type ApiRequest, get, post, unauthorized } from '../../history/exchange.ts'
import { fakeExchange } from '../../tests/fakes/fake-exchange.ts'
import { isolate, partsOfPairs } from './isolate.ts'
import { Seen } from './seen.ts'

const sent = (request: ApiRequest | string, status = 500, seq = 1) =>
  fakeExchange(request, { status, body: request === '/pets/7' ? '{"id":7}' : '{}', seq })

const plain = post('/pets', '{"name":"Rex","categoryId":1,"status":"pending"}')

const served = [sent('/pets', 200), sent('/pets/7', 200), sent(plain, 201)]

const pet = (own: string) => post('/pets', `{"name":"Rex","categoryId":1,"status":"sold"${own}}`)

const isolatedBy = (failing: ApiRequest | string, ...others: ReturnType<typeof sent>[]) => {
  const one = sent(failing, 500, 9)
  return isolate(one, new Seen([...others, one]))
}

const wordsOf = (...given: Parameters<typeof isolatedBy>) =>
  isolatedBy(...given)?.parts.map(({ words }) => words)

test.each<[ApiRequest | string, readonly string[] | undefined]>([
  ['/pets', []],
  ['/pets/7', undefined],
  ['/pets/8', ['with an unknown id']],
  ['/pets?limit=0', ['with limit=0']],
  ['/pets?limit=1&limit=2', ['with limit=1&limit=2']],
  [unauthorized(get('/pets')), ['without an Authorization header']],
  [pet(''), ['with status "sold"']],
  [pet(',"age":3'), undefined],
  [post('/pets', '[]'), ['with a body that is an array']],
])('one part that differs from a plain request that passes: %#: %j', (request, words) => {
  expect(wordsOf(request, ...served)).toEqual(words)
})

test('of several parts each one without which the request passes, and none else', () => {
  const failing = pet(',"age":3')
  const sold = sent(pet(''), 201)
  expect(wordsOf(failing, sold)).toBeUndefined()
  const first = sent(post('/pets', '{"name":"Rex","categoryId":1,"status":"pending","age":3}'), 201)
  expect(wordsOf(failing, sold, first)).toEqual(['with status "sold"', 'with the extra member age'])
  expect(isolatedBy(failing, sold, first)?.passing).toEqual([first, sold])
})

const named = (length: number) => post('/pets', `{"name":"${'R'.repeat(length)}","categoryId":1}`)

test('a step before each that fails, where the same request alone passes', () => {
  const broken = sent(post('/pets', '{"name":"\\u0000","categoryId":1}'), 400, 1)
  const trace = [
    broken,
    sent(plain, 500, 2),
    sent(plain, 201, 3),
    { ...broken, seq: 4 },
    sent(plain, 500, 5),
    sent(plain, 201, 6),
  ]
  const one = sent(plain, 500, 8)
  const isolated = isolate(
    one,
    new Seen([...trace, { ...broken, seq: 7 }, one, sent(plain, 201, 9)]),
  )
  expect(isolated).toMatchObject({
    chance: '3 of 6 times',
    after: 'right after POST /pets with a control character in the name (400)',
  })
  const other = [...trace, sent('/pets', 200, 7), one, sent(plain, 201, 9)]
  expect(isolate(one, new Seen(other))?.after).toBeUndefined()
})

test('a lone surrogate, which has no other form and is not beyond ASCII besides', () => {
  const failing = post('/pets', '{"name":"a\\ud800z","categoryId":1}')
  expect(wordsOf(failing, sent(named(9), 201))).toEqual(['with a lone surrogate in the name'])
})

test('any escape in a text, where the same text passes without one', () => {
  const named = (text: string) => post('/pets', `{"name":"${text}","categoryId":1}`)
  const all = ['\\"', '\\\\', '\\u0061', '\\/'].map((text, at) => sent(named(text), 400, at + 2))
  const [passing] = [sent(named('a'), 201)]
  const wordsAt = (...others: typeof all) => {
    const trace = [...all, ...others]
    return all[0] && isolate(all[0], new Seen(trace))?.parts.map(({ words }) => words)
  }
  expect(wordsAt(passing)).toEqual(['with an escape in a string of its JSON'])
  expect(wordsAt(sent(named('b'), 201))).not.toEqual(['with an escape in a string of its JSON'])
  const kept = sent(named('\\u0062'), 201, 8)
  expect(wordsAt(passing, kept)).not.toEqual(['with an escape in a string of its JSON'])
})

test('the digits in a name, where one less passes', () => {
  const ofName = (name: string) => post('/pets', `{"name":"${name}","categoryId":1}`)
  const shorter = sent(ofName('Rex is a dog-000'), 201)
  expect(wordsOf(ofName('Rex-0000'), shorter)).toEqual(['with more than 3 digits in the name'])
})

test('the bytes of a name, where one more of one byte fails, and more characters pass', () => {
  const ofName = (name: string) => post('/pets', `{"name":"${name}","categoryId":1}`)
  const more = sent(ofName('R'.repeat(6)), 201)
  const wide = sent(ofName('éééR'), 201)
  const words = ['with a name of more than 7 bytes in UTF-8']
  expect(wordsOf(ofName('éééRR'), more, wide)).toEqual(words)
  // As many characters, of which one is longer: that may decide.
  expect(wordsOf(ofName('éééé'), more, wide)).toBeUndefined()
  // A name with more characters than all that passed may be too long in these.
  expect(wordsOf(ofName('éééRR'), wide)).not.toEqual(words)
})

test('the bytes of a body, where white space before it is one less', () => {
  const spaced = (spaces: number, name = 'petvet-a-1') =>
    post('/pets', `${' '.repeat(spaces)}{"name":"${name}","categoryId":1}`)
  const passing = sent(spaced(8, 'petvet-a-2'), 201)
  const words = ['with a body of more than 44 bytes']
  expect(wordsOf(spaced(9), passing)).toEqual(words)
  expect(wordsOf(spaced(10), passing)).not.toEqual(words)
  expect(wordsOf(spaced(8, 'petvet-a-1x'), passing)).not.toEqual(words)
  const padded = (padding: number) => ({ ...post('/pets', '{"categoryId":1}'), padding })
  expect(wordsOf(padded(9_000), sent(padded(8_999), 413))).toEqual([
    'with a body of more than 9015 bytes',
  ])
})

test('the length of a header field or of an invalid key, where one less of a letter passes', () => {
  const agent = (value: string) => ({ ...get('/pets'), headers: [['User-Agent', value] as const] })
  const words = ['with a User-Agent of more than 3 characters']
  expect(wordsOf(agent('xxxx'), sent(agent('xxx'), 200))).toEqual(words)
  expect(wordsOf(agent('xxx"'), sent(agent('xxx'), 200))).not.toEqual(words)
  const shorter = sent(agent('xxxx'), 500, 3)
  expect(wordsOf(agent('Mozilla'), sent(agent('xxx'), 200), shorter)).toEqual(words)
  const keyed = (key: string) => ({
    ...unauthorized(get('/pets'), `Bearer ${key}`),
    says: `with a key of ${key.length} characters`,
  })
  expect(wordsOf(keyed('xxxx'), sent(keyed('xxx'), 401))).toEqual([
    'with a key of more than 3 characters',
  ])
})

test('the limit, where the next smaller one passes, and nothing else is peculiar', () => {
  const passing = sent('/pets?limit=50', 200)
  expect(wordsOf('/pets?limit=51', passing)).toEqual(['with a limit above 50'])
  expect(wordsOf('/pets?limit=52', passing)).not.toEqual(['with a limit above 50'])
  const both = ['/pets?limit=51&status=sold', sent('/pets?limit=50&status=sold', 200)] as const
  expect(wordsOf(...both)).not.toEqual(['with a limit above 50'])
})

test('an id that is too large, known or unknown, and one with a sign', () => {
  const got = (id: number, status: number, seq = 1) =>
    fakeExchange(`/pets/${id}`, { status, body: `{"id":${id}}`, seq })
  const above = ['with a petId above 2147483647']
  const wordsAt = (last: ReturnType<typeof got>, ...others: ReturnType<typeof got>[]) =>
    isolate(last, new Seen([...others, last]))?.parts.map(({ words }) => words)
  expect(wordsAt(got(2 ** 31, 500, 3), got(2 ** 31 - 1, 404, 2))).toEqual(above)
  expect(wordsAt(got(2 ** 31, 500, 3), got(2 ** 32, 404, 2))).not.toEqual(above)
  const known = sent({ ...get('/pets'), path: '/pets' }, 200, 0)
  const listed = fakeExchange('/pets', { status: 200, body: '[{"id":2147483900}]', seq: 1 })
  const found = got(2147483600, 200, 2)
  expect(wordsAt(got(2147483900, 404, 9), known, listed, found)).toEqual(above)
  const negative = [got(-5, 500, 3), got(-9, 500, 4)]
  expect(negative[1] && wordsAt(negative[1], found, got(8, 404, 2), ...negative)).toEqual([
    'with a negative petId',
  ])
})

test('another scheme, where nothing that has it is refused', () => {
  const keyed = (authorization: string, status: number, seq: number) =>
    sent(
      { ...unauthorized(get('/pets'), authorization), says: `with ${authorization}` },
      status,
      seq,
    )
  const basic = [keyed('Basic a', 500, 1), keyed('Basic b', 500, 2)]
  const wordsAt = (...others: typeof basic) =>
    basic[1] && isolate(basic[1], new Seen([sent('/pets', 200, 3), ...basic, ...others]))?.parts
  expect(wordsAt()?.map(({ words }) => words)).toEqual(['with Basic in place of Bearer'])
  expect(wordsAt(keyed('Basic c', 401, 4))?.map(({ words }) => words)).toEqual(['with Basic b'])
})

test('a category of a plain request, where others pass', () => {
  const rex = (category: number, status: number, seq: number) =>
    sent(post('/pets', `{"name":"petvet-a-${seq}","categoryId":${category}}`), status, seq)
  const others = [rex(2, 201, 1), rex(1, 500, 2)]
  const isolated = isolate(rex(1, 500, 3), new Seen([...others, rex(1, 500, 3)]))
  expect(isolated?.parts.map(({ words }) => words)).toEqual(['with categoryId 1'])
})

test('an extra member that is null, where another value of it passes', () => {
  const rex = (age = '') => post('/pets', `{"name":"Rex","categoryId":1${age}}`)
  const bare = sent(rex(), 201)
  const both = ['with the extra member age', 'with age null']
  expect(wordsOf(rex(',"age":null'), bare)).toEqual(both)
  expect(wordsOf(rex(',"age":null'), bare, sent(rex(',"age":1'), 201))).toEqual(both.slice(1))
  expect(wordsOf(rex(',"age":null'), bare, sent(rex(',"age":1'), 500))).toEqual(both.slice(0, 1))
})

test('what is beyond U+FFFF, where what is beyond Latin-1 passes', () => {
  const ofName = (name: string) => post('/pets', `{"name":"${name}","categoryId":1}`)
  const [far, own] = [sent(ofName('字'), 201), sent(ofName('Rex is a dog'), 201)]
  const wider = ['U+FFFF', 'Latin-1', 'ASCII'].map(
    (of) => `with a character beyond ${of} in the name`,
  )
  expect(wordsOf(ofName('𠮷'), own)).toEqual(wider)
  expect(wordsOf(ofName('𠮷'), own, far)).toEqual(wider.slice(0, 1))
})

test('one key decides where unknown ids get 404 with others', () => {
  const get = (id: number, key: string, status: number, seq: number) =>
    fakeExchange(`/pets/${id}`, { status, body: '{"id":7}', key, seq })
  const ofOther = [get(7, 'pro-1', 200, 1), get(7, 'pro-1', 200, 2), get(9, 'pro-1', 404, 3)]
  const own = [get(8, 'free-2', 500, 4), get(9, 'free-2', 500, 5)]
  const wordsAt = (...all: ReturnType<typeof get>[]) =>
    own[1] && isolate(own[1], new Seen(all))?.parts.map(({ words }) => words)
  expect(wordsAt(...ofOther, ...own)).toEqual(['with key free-2'])
  expect(wordsAt(...ofOther.slice(0, 2), ...own)).toEqual(['with an unknown id'])
})

test('the part of a pair, of which no other one has one', () => {
  const plainer = sent(pet(''), 201)
  const extra = ['Name', 'NAME'].map((name) => sent(pet(`,"${name}":"x"`), 201))
  const words = ['with the extra member Name', 'with the extra member NAME']
  expect(partsOfPairs(extra, [plainer]).map((each) => each.words)).toEqual(words)
  expect(partsOfPairs(extra, [plainer, ...extra.slice(1)])).toEqual([])
  expect(partsOfPairs([...extra, plainer], [plainer])).toEqual([])
})

test('a step decides that comes before many failing requests, and before none that passes', () => {
  const faulty = post('/pets', '{"name":"Rex"}')
  const turns = [1, 2, 3, 4, 5].flatMap((at) => [
    sent(`/pets?limit=${at}`, 200, 4 * at),
    sent(faulty, 400, 4 * at + 1),
    sent(`/pets?limit=${at}`, 500, 4 * at + 2),
    sent(`/pets?limit=${at}`, 200, 4 * at + 3),
  ])
  const stepIn = (all: typeof turns) => turns[2] && isolate(turns[2], new Seen(all))?.after
  expect(stepIn(turns)).toBe('right after a POST /pets (400)')
  expect(stepIn([...turns, sent(faulty, 400, 50), sent('/pets', 200, 51)])).toBeUndefined()
  expect(stepIn(turns.slice(0, -2))).toBeUndefined()
  // An unknown id is no step before another one.
  const ids = [1, 2, 3, 4, 5, 6, 7].flatMap((at) => [
    sent('/pets/8', 404, 2 * at),
    sent('/pets/7', 200, 2 * at + 1),
  ])
  expect(ids[2] && isolate(ids[2], new Seen(ids))?.after).toBeUndefined()
})

test('equal requests that fail and pass in turn isolate nothing', () => {
  const turns = [sent('/pets', 500, 1), sent('/pets', 200, 2), sent('/pets', 500, 3)]
  expect(isolatedBy('/pets?limit=3', ...turns, sent('/pets?limit=3', 200, 4))).toMatchObject({
    parts: [],
    chance: '2 of 3 times',
  })
})

test('all that fails for a time, whatever was requested', () => {
  const broken = Array.from({ length: 6 }, (_, at) =>
    sent(at % 2 ? '/pets' : '/pets/7', 502, at + 2),
  )
  const all = [sent('/pets', 200, 1), ...broken, sent('/pets', 200, 9)]
  const [one] = broken
  expect(one && isolate(one, new Seen(all))?.chance).toMatch(/^all 6 within /)
})
