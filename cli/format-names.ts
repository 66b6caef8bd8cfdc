// The names of the formats, for help that loads none of them; a test holds them to be all.

export const formatNames = ['html', 'markdown', 'junit', 'ctrf', 'github', 'badge', 'har'] as const
