// Thrown where a journal, or what stands beside it, is not what a run leaves behind; of one line.

export class DamagedJournal extends Error {}
