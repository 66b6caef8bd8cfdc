// The environment variable of a key, the same in printed commands and in scripts for k6.

/** `PETVET_KEY_FREE_1` */
export const variableOfKey = (label: string): string =>
  `PETVET_KEY_${label.toUpperCase().replaceAll('-', '_')}`
