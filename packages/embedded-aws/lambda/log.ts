import type { Clock } from '../time/clock.ts';

export interface LambdaLogLine {
  /** Milliseconds since the epoch, by the embedded AWS's clock. */
  time: number;
  functionName: string;
  /** Empty while the function's module is loading. */
  requestId: string;
  /** `platform` for lines of Lambda itself. */
  stream: 'stdout' | 'stderr' | 'platform';
  line: string;
}

/** The oldest lines are dropped beyond this limit, because a laptop may run for days. */
const MAX_LINES = 100_000;

export type LambdaLog = ReturnType<typeof createLambdaLog>;

export function createLambdaLog(clock: Clock, onLine?: (line: LambdaLogLine) => void) {
  const lines: LambdaLogLine[] = [];
  return {
    lines: lines as readonly LambdaLogLine[],
    add: (line: Omit<LambdaLogLine, 'time'>): void => {
      const timed = { time: clock.now(), ...line };
      lines.push(timed);
      if (lines.length > MAX_LINES) lines.shift();
      onLine?.(timed);
    },
    forget: (): void => void lines.splice(0),
  };
}
