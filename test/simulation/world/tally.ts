/** Counts by name. */
export class Tally {
  private readonly counts = new Map<string, number>();

  add(name: string, times = 1): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + times);
  }

  merge(other: Record<string, number>): void {
    for (const [name, times] of Object.entries(other)) this.add(name, times);
  }

  total(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The counts, sorted by name. */
  toJSON(): Record<string, number> {
    return Object.fromEntries([...this.counts].sort(([one], [other]) => one.localeCompare(other)));
  }
}
