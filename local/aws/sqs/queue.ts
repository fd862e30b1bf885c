import { createHash, randomUUID } from 'node:crypto';
import type { Clock } from '../time/clock.ts';

export interface MessageAttribute {
  DataType: string;
  StringValue?: string;
}

export interface QueueMessage {
  messageId: string;
  body: string;
  attributes: Record<string, MessageAttribute>;
  sentAt: number;
  firstReceivedAt?: number;
  receiveCount: number;
  /** When it may be received (again). */
  visibleAt: number;
  receiptHandle?: string;
}

/** A standard queue. A received message is hidden until its visibility timeout ends. */
export class Queue {
  readonly name: string;
  readonly arn: string;
  readonly visibilityTimeoutSeconds: number;
  readonly #clock: Clock;
  #messages: QueueMessage[] = [];

  constructor(settings: { name: string; arn: string; visibilityTimeoutSeconds: number; clock: Clock }) {
    this.name = settings.name;
    this.arn = settings.arn;
    this.visibilityTimeoutSeconds = settings.visibilityTimeoutSeconds;
    this.#clock = settings.clock;
  }

  send(body: string, attributes: Record<string, MessageAttribute> = {}, delaySeconds = 0): QueueMessage {
    const now = this.#clock.now();
    const visibleAt = now + delaySeconds * 1000;
    const message = { messageId: randomUUID(), body, attributes, sentAt: now, receiveCount: 0, visibleAt };
    this.#messages.push(message);
    return message;
  }

  receive(most: number, visibilityTimeoutSeconds = this.visibilityTimeoutSeconds): QueueMessage[] {
    const now = this.#clock.now();
    const received = this.#messages.filter((message) => message.visibleAt <= now).slice(0, most);
    for (const message of received) {
      message.receiveCount += 1;
      message.firstReceivedAt ??= now;
      message.visibleAt = now + visibilityTimeoutSeconds * 1000;
      message.receiptHandle = randomUUID();
    }
    return received;
  }

  delete(receiptHandle: string): void {
    this.#messages = this.#messages.filter((message) => message.receiptHandle !== receiptHandle);
  }

  purge(): void {
    this.#messages = [];
  }

  count(): { visible: number; hidden: number; delayed: number } {
    const now = this.#clock.now();
    const later = this.#messages.filter((message) => message.visibleAt > now);
    const delayed = later.filter((message) => message.receiveCount === 0).length;
    return { visible: this.#messages.length - later.length, hidden: later.length - delayed, delayed };
  }
}

export function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
