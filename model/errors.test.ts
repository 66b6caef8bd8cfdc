// Errors: what violates their shape, stable codes and secrecy, and what is legal.
import { describe, expect, test } from 'vitest'
import { type ApiRequest, json, post } from '../history/exchange.ts'
import { clauseNamed, fakeExchange, judged } from '../tests/fakes/fake-exchange.ts'
import { errorClauses } from './errors.ts'

describe('internals of a server', () => {
  const noInternals = clauseNamed(errorClauses, 'error-no-internals')
  const judge = (message: string, apiRequest: ApiRequest | string = '/pets/1') => {
    const body = JSON.stringify({ code: 'a', message, status: 400 })
    return judged(noInternals, fakeExchange(apiRequest, { status: 400, body }))
  }

  test.for([
    'TypeError at file:///srv/api.mjs:1:2',
    'Traceback (most recent call last):\n  File "/usr/lib/python3/x.py", line 3',
    'java.lang.NullPointerException',
    'org.springframework.web.HttpMessageNotReadableException: JSON parse error',
    ...['at com.shop.Pets.get(Pets.java:41)', 'cannot open /var/lib/pets/store.sqlite'],
    ...['C:\\inetpub\\api\\pets.cs', 'pets.js:12 is not a function'],
    'insert failed: INSERT INTO pets',
    'SQLITE_CONSTRAINT: UNIQUE constraint failed: pets.id',
    ...['ERROR: syntax error at or near "abc"', 'panic: x\n\ngoroutine 1 [running]:'],
  ])('show in: %s', (message) => {
    expect(judge(message)).toContain('without internals')
  })

  test.for([
    ...['The pet /v1/pets/1 cannot be found.', 'No route for GET /v1/store at this server.'],
    'Please select one from available, pending, sold.',
    ...['Update your key, or set another one.', 'name: must be a string (line 1, column 12)'],
    ...['Expected "," at position 12 (line 1:13)', 'The error is in the body, at name.'],
  ])('do not show in: %s', (message) => {
    expect(judge(message)).toBe('holds')
  })

  test('are shown as whole words: a part of a key would not be redacted', () => {
    expect(judge('failed in /srv/app/some+key/of=ours, twice')).toContain(
      'actual: /srv/app/some+key/of=ours,',
    )
    expect(judge('see some+key-of-ours.js:12')).toContain('actual: some+key-of-ours.js:12')
  })

  test('do not show in a text that the client has sent', () => {
    const path = '/pets/%2Fetc%2Fpasswd.txt'
    expect(judge('No pet /etc/passwd.txt', path)).toBe('holds')
    const body = '{"name":1,"status":"SELECT 1 FROM x"}'
    expect(judge('status SELECT 1 FROM x is unknown', post('/pets', body, [json]))).toBe('holds')
  })
})
