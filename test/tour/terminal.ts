import { execFile } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** tmux's names of the keys that a page may name. */
const KEYS: Record<string, string> = {
  '↓': 'Down',
  '↑': 'Up',
  Enter: 'Enter',
  Space: 'Space',
  'Ctrl-C': 'C-c',
  y: 'y',
};

const [COLUMNS, ROWS] = ['150', '50'];

/** Terminals of one tmux server that a test has for itself. */
export class Terminals {
  readonly #socket: string;

  /** @param environment what the shells in the terminals see */
  static async open(socket: string, directory: string, environment: Record<string, string>): Promise<Terminals> {
    const terminals = new Terminals(socket);
    const variables = Object.entries(environment).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
    const shell = ['-c', directory, ...variables, 'bash', '--noprofile', '--norc'];
    const session = ['new-session', '-d', '-s', 'tour', '-n', 'first', '-x', COLUMNS, '-y', ROWS];
    await terminals.#tmux('-f', '/dev/null', ...session, ...shell);
    await terminals.#tmux('set-option', '-g', 'history-limit', '20000');
    await terminals.#tmux('new-window', '-t', 'tour', '-n', 'second', ...shell);
    return terminals;
  }

  private constructor(socket: string) {
    this.#socket = socket;
  }

  /** Ends every program that runs in the terminals. */
  async close(): Promise<void> {
    await this.#tmux('kill-server');
  }

  /** Clears the terminal, types a line and presses Enter. */
  async type(window: string, line: string): Promise<void> {
    const to = ['-t', `tour:${window}`];
    await this.#tmux('send-keys', '-R', ...to, ';', 'clear-history', ...to);
    await this.#tmux('send-keys', ...to, '-l', line);
    await this.#tmux('send-keys', ...to, 'Enter');
  }

  async press(window: string, keys: string[]): Promise<void> {
    for (const key of keys) {
      const name = KEYS[key];
      if (name === undefined) throw new Error(`The page names the key ${key}, which this test does not know.`);
      await this.#tmux('send-keys', '-t', `tour:${window}`, name);
    }
  }

  /** All lines since the terminal was cleared, long ones in one piece. */
  async shown(window: string): Promise<string[]> {
    const screen = await this.#tmux('capture-pane', '-p', '-J', '-S', '-', '-t', `tour:${window}`);
    return screen.trimEnd().split('\n');
  }

  /**
   * Waits until `fault` finds none in what the terminal shows.
   * @throws Error with the screen if there is still one after this time, or once `isOver`.
   */
  async until(
    window: string,
    fault: (screen: string[]) => string | undefined,
    { seconds, isOver = () => false }: { seconds: number; isOver?: (screen: string[]) => boolean },
  ): Promise<void> {
    const end = performance.now() + seconds * 1000;
    for (;;) {
      const screen = await this.shown(window);
      const found = fault(screen);
      if (found === undefined) return;
      if (isOver(screen) || performance.now() > end)
        throw new Error(`${found}\nThe terminal shows:\n${screen.join('\n')}`);
      await setTimeout(100);
    }
  }

  async #tmux(...args: string[]): Promise<string> {
    return (await run('tmux', ['-L', this.#socket, ...args])).stdout;
  }
}
