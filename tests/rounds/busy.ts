// Keeps one core busy until its parent disconnects.

const turnMs = 50

const turn = (): void => {
  const end = performance.now() + turnMs
  while (performance.now() < end);
  setImmediate(turn)
}

process.on('disconnect', () => process.exit(0))
turn()
