import { columns } from '../../../commands/shared/text.ts';

export class Tally {
  private readonly counts = new Map<string, number>();

  add(name: string, times = 1): number {
    const count = this.of(name) + times;
    this.counts.set(name, count);
    return count;
  }

  of(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  merge(other: Record<string, number>): void {
    for (const [name, times] of Object.entries(other)) this.add(name, times);
  }

  /** The counts, sorted by name. */
  toJSON(): Record<string, number> {
    return Object.fromEntries([...this.counts].sort(([one], [other]) => one.localeCompare(other)));
  }

  table(heading: string): string {
    const sum = [...this.counts.values()].reduce((all, count) => all + count, 0);
    const rows = [
      [heading, sum] as const,
      ...Object.entries(this.toJSON()).map(([name, count]) => [`  ${name}`, count] as const),
    ];
    return ['', ...columns(rows.map(([name, count]) => [name, String(count).padStart(7)]))].join('\n');
  }
}
