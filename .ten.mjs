import { startReference } from './reference/start.ts'
import { together } from './reference/variant.ts'
import { setsOf, shuffledMutants } from './tests/several-faults.ts'
const set = setsOf(shuffledMutants(Number(process.argv[2])), 10)[0]
const ref = await startReference({ keys: [{ plan: 'free', key: 'T1-aaaaaaaaaaaaaaaa' }, { plan: 'free', key: 'T2-aaaaaaaaaaaaaaaa' }], variant: together(...set) })
console.log(ref.url, set.map((m) => m.id).join(' '))
