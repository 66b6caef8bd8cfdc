// Turns: so many things are done at once, and the others wait for one of these to end.

type TakeTurn = <Done>(act: () => Promise<Done>) => Promise<Done>

/** @returns waits for a turn, and does what it is given; who came first has the next one */
export const createTurns = (most: number): TakeTurn => {
  const waiting: (() => void)[] = []
  let taken = 0

  const give = (): void => {
    const first = waiting.shift()
    if (first) first()
    else taken -= 1
  }

  return async (act) => {
    if (taken < most) taken += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await act()
    } finally {
      give()
    }
  }
}
