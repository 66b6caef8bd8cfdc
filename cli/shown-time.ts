// A span of time as text.

/** `4 min 5 s`, whole seconds, rounded down. */
export const shownTime = (ms: number): string => {
  const seconds = Math.floor(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
