import type { LambdaLogLine } from '@business-loan-orders/embedded-aws';

/** Collects the lines of functions that are no JSON objects: the runbook promises one JSON line an event. Lambda's own lines do not count. */
export class PlainLines {
  #found: string[] = [];

  readonly listen = ({ functionName, stream, line }: LambdaLogLine): void => {
    if (stream !== 'platform' && !isJsonObject(line)) this.#found.push(`${functionName}: ${line}`);
  };

  /** The lines since the last call. */
  take(): string[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }
}

function isJsonObject(line: string): boolean {
  try {
    return line.startsWith('{') && JSON.parse(line) !== null;
  } catch {
    return false;
  }
}
