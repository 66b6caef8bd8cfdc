// How the zones of a variant differ: records put beside others, or in their place.
import type { PublishingVariant } from '../demo/variant.ts'
import type { ZoneRecord } from '../demo/zones.ts'

const ttl = 3600

export const record = (
  name: string,
  type: 'A' | 'AAAA' | 'CNAME' | 'MX' | 'TXT' | 'ALIAS',
  data: string,
): ZoneRecord => ({ name, type, data, ttl })

export const caa = (name: string, flags: number, tag: string, value: string): ZoneRecord => ({
  name,
  type: 'CAA',
  ttl,
  flags,
  tag,
  value,
})

type Change = Pick<PublishingVariant, 'zones'>

/** Whatever stood at a name is gone, and these stand wherever they say. */
export const inPlaceOf = (name: string, ...records: readonly ZoneRecord[]): Change => ({
  zones: (all) => [...all.filter((each) => each.name !== name), ...records],
})

export const beside = (...records: readonly ZoneRecord[]): Change => ({
  zones: (all) => [...all, ...records],
})

/** Once certificates are issued. */
export const besideLater = (
  ...records: readonly ZoneRecord[]
): Pick<PublishingVariant, 'laterZones'> => ({ laterZones: (all) => [...all, ...records] })

/** In place of whatever stood at a name, once certificates are issued. */
export const inPlaceLater = (
  name: string,
  ...records: readonly ZoneRecord[]
): Pick<PublishingVariant, 'laterZones'> => ({
  laterZones: (all) => [...all.filter((each) => each.name !== name), ...records],
})
