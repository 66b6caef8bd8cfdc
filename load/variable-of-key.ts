// The variable of the environment that a key is read from, where it is not written out.

/** The variable of the environment that a key is read from: `PETVET_KEY_FREE_1`. */
export const variableOfKey = (label: string): string =>
  `PETVET_KEY_${label.toUpperCase().replaceAll('-', '_')}`
