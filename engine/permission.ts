// What a run may be allowed to do to a target, beyond reading.

/** What a run may do to a target. */
export const permissions = ['write', 'exhaust', 'ban', 'day'] as const
export type Permission = (typeof permissions)[number]
