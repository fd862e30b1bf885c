import { createLogUpdate } from 'log-update';
import wrapAnsi from 'wrap-ansi';

/** Milliseconds. Short enough to look active. */
const REFRESH = 200;
const INDENT = '  ';

/** A line with a command is wrapped by the terminal, so it can be copied as one line. */
const COMMAND = /(^| {2})(export|aws|npx) /;

/** Lines that are redrawn in place. `room` is the number of rows that they may take. */
type MovingLines = (columns: number, room: number) => string[];

/** Wraps a line that is longer than the terminal is wide. Continuation lines have the line's own indent and two more spaces. */
export function wrappedLine(line: string, columns: number): string[] {
  const indent = `${/^ */.exec(line)?.[0] ?? ''}${INDENT}`;
  const [first = '', ...others] = wrapAnsi(line, columns, { hard: true, trim: false }).split('\n');
  if (others.length === 0) return [first];
  const rest = wrapAnsi(line.slice(indent.length - INDENT.length), columns - indent.length, { hard: true });
  return rest.split('\n').map((part, index) => (index === 0 ? indent.slice(INDENT.length) : indent) + part);
}

/** Standard output. On a terminal, some lines are redrawn below the permanent ones; elsewhere, and with `--plain`, none are. */
class Screen {
  #update: ReturnType<typeof createLogUpdate> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #moving: MovingLines = () => [];
  #kept: string[] = [];

  /** Starts redrawing lines. The cursor stays visible, so nothing has to be restored when the process ends. */
  begin(): void {
    this.#update = createLogUpdate(process.stdout, { showCursor: true });
    this.#timer = setInterval(() => this.#draw(), REFRESH);
  }

  moves(): boolean {
    return this.#update !== undefined;
  }

  print(line: string): void {
    if (!this.#update) {
      process.stdout.write(`${line}\n`);
      return;
    }
    const { columns } = process.stdout;
    this.#update.clear();
    const lines = line.split('\n').flatMap((one) => (COMMAND.test(one) ? one : wrappedLine(one, columns)));
    process.stdout.write(`${lines.join('\n')}\n`);
    this.#draw();
  }

  /** Shows lines below the redrawn ones. Without a terminal they are permanent lines. */
  keep(lines: string[]): void {
    this.#kept = lines;
    if (this.#update) this.#draw();
    else this.print(lines.join('\n'));
  }

  show(moving: MovingLines): void {
    this.#moving = moving;
    this.#draw();
  }

  /** Shows a step and its seconds while the work runs. Without a terminal, prints its name as a line. */
  async step<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    if (!this.#update) {
      this.print(name);
      return work();
    }
    const startedAt = performance.now();
    const line = () => `${name} ${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
    this.show((columns) => wrappedLine(line(), columns));
    try {
      return await work();
    } finally {
      this.#moving = () => [];
      this.print(line());
    }
  }

  /** Stops redrawing. Later lines are printed below. */
  end(): void {
    clearInterval(this.#timer);
    this.#kept = [];
    this.#draw();
    this.#update?.done();
    this.#update = undefined;
  }

  #draw(): void {
    const { columns, rows } = process.stdout;
    const kept = this.#kept.flatMap((line) => wrappedLine(line, columns));
    const lines = [...this.#moving(columns, rows - 1 - kept.length), ...kept];
    if (lines.length > 0) this.#update?.(lines.join('\n'));
    else this.#update?.clear();
  }
}

export const screen = new Screen();
