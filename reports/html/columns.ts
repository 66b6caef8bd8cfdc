// How the targets of a run are called where several stand beside each other.

export const columnTitles: Readonly<Record<string, string>> = {
  target: 'This server',
  prism: 'Prism mock',
  reference: 'Reference',
}
