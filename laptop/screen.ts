import { createLogUpdate } from 'log-update';
import wrapAnsi from 'wrap-ansi';

/** Milliseconds. Short enough that somebody sees at once that something is going on. */
const REFRESH = 200;
const INDENT = '  ';

/** A line with a command is left to the terminal, which wraps it so that it is copied as one line. */
const COMMAND = /(^| {2})(export|aws|npx) /;

/** Lines that move: they are drawn again in the same place. `room` is the number of rows that they may take. */
type MovingLines = (columns: number, room: number) => string[];

/** Wraps a line that is longer than the terminal is wide. What follows begins with the line's own indent and two spaces. */
export function wrappedLine(line: string, columns: number): string[] {
  const indent = `${/^ */.exec(line)?.[0] ?? ''}${INDENT}`;
  const [first = '', ...others] = wrapAnsi(line, columns, { hard: true, trim: false }).split('\n');
  if (others.length === 0) return [first];
  const rest = wrapAnsi(line.slice(indent.length - INDENT.length), columns - indent.length, { hard: true });
  return rest.split('\n').map((part, index) => (index === 0 ? indent.slice(INDENT.length) : indent) + part);
}

/** Standard output. On a terminal some lines move below those that stay; elsewhere, and with `--plain`, there are only lines that stay. */
class Screen {
  #update: ReturnType<typeof createLogUpdate> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #moving: MovingLines = () => [];
  #kept: string[] = [];

  /** Lets lines move. The cursor stays visible, so nothing has to be restored however the process ends. */
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

  /** Keeps lines in sight below those that move. Elsewhere than on a terminal they are lines that stay. */
  keep(lines: string[]): void {
    this.#kept = lines;
    if (this.#update) this.#draw();
    else this.print(lines.join('\n'));
  }

  show(moving: MovingLines): void {
    this.#moving = moving;
    this.#draw();
  }

  /** Shows a step and its seconds while the work runs. Elsewhere than on a terminal its name is a line. */
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

  /** Leaves the moving lines as they are. Lines that are printed afterwards come below them. */
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
