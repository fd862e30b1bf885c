import type { OrderStatus } from './order-machine.ts';
import type { SimulatorSettings } from './settings.ts';

const exact = JSON as unknown as {
  rawJSON(text: string): unknown;
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
};

/** A JSON object whose numbers keep their text, each in a property `rawJSON`. */
export function parseExactly(text: string): Record<string, unknown> {
  return exact.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? exact.rawJSON(source) : value,
  ) as Record<string, unknown>;
}

/** Converts values for answers as the settings say. Inside the simulator, identifiers are texts. */
export class Wording {
  private readonly settings: SimulatorSettings;

  constructor(settings: SimulatorSettings) {
    this.settings = settings;
  }

  /** An identifier; a JSON number with all its digits if the settings say so. */
  identifier(text: string): unknown {
    return this.settings.identifiers === 'numbers' && /^[1-9]\d*$/.test(text) ? exact.rawJSON(text) : text;
  }

  seconds(value: number): number | string {
    return this.settings.seconds === 'text' ? String(value) : value;
  }

  status(status: OrderStatus): string {
    return this.settings.otherStatuses[status] ?? status;
  }
}
