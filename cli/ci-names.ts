// The services for which a workflow can be written.

export const ciNames = ['github', 'gitlab', 'none'] as const
export type CiName = (typeof ciNames)[number]
