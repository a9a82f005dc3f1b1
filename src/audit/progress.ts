/** Told now and then how far something is: what is being done, and how much of it. */
export type Progress = (what: string, done: number, total: number) => void
