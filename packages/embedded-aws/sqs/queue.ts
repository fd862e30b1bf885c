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
  visibleAt: number;
  receiptHandle?: string;
  /** ARN of the queue from which it became a dead letter. */
  deadLetterOf?: string;
}

export interface QueueSettings {
  name: string;
  arn: string;
  visibilityTimeoutSeconds: number;
  retentionSeconds: number;
  /** The dead-letter queue for messages that were received this often and not deleted. */
  redrive?: { to: Queue; maxReceiveCount: number };
  clock: Clock;
}

/** A standard queue. A received message is hidden until its visibility timeout ends. */
export class Queue {
  readonly name: string;
  readonly arn: string;
  readonly settings: QueueSettings;
  readonly #listeners: (() => void)[] = [];
  #messages: QueueMessage[] = [];

  constructor(settings: QueueSettings) {
    this.name = settings.name;
    this.arn = settings.arn;
    this.settings = settings;
  }

  listen(listener: () => void): void {
    this.#listeners.push(listener);
  }

  send(body: string, attributes: Record<string, MessageAttribute> = {}, delaySeconds = 0): QueueMessage {
    const now = this.settings.clock.now();
    const visibleAt = now + delaySeconds * 1000;
    return this.#add({ messageId: randomUUID(), body, attributes, sentAt: now, receiveCount: 0, visibleAt });
  }

  /** Returns copies, because a message gets another receipt handle when it is received again. */
  receive(most: number, visibilityTimeoutSeconds = this.settings.visibilityTimeoutSeconds): QueueMessage[] {
    const now = this.settings.clock.now();
    const { redrive } = this.settings;
    this.#expire();
    for (const message of this.#visible()) {
      if (redrive && message.receiveCount >= redrive.maxReceiveCount) this.#moveTo(redrive.to, message);
    }
    const received = this.#visible().slice(0, most);
    for (const message of received) {
      message.receiveCount += 1;
      message.firstReceivedAt ??= now;
      message.visibleAt = now + visibilityTimeoutSeconds * 1000;
      message.receiptHandle = Buffer.from(`${randomUUID()} ${this.arn}`).toString('base64');
    }
    return received.map((message) => ({ ...message }));
  }

  /** Whether this queue issued the receipt handle. The message may have been deleted or received again since. */
  hasIssued(receiptHandle: string): boolean {
    return Buffer.from(receiptHandle, 'base64').toString().endsWith(` ${this.arn}`);
  }

  delete(receiptHandle: string): void {
    this.#messages = this.#messages.filter((message) => message.receiptHandle !== receiptHandle);
  }

  takeVisible(): QueueMessage[] {
    this.#expire();
    const taken = this.#visible();
    this.#messages = this.#messages.filter((message) => !taken.includes(message));
    return taken;
  }

  /** When the next hidden or delayed message can be received, or undefined if there is none. */
  nextVisibleAt(): number | undefined {
    const now = this.settings.clock.now();
    const later = this.#messages.map(({ visibleAt }) => visibleAt).filter((time) => time > now);
    return later.length > 0 ? Math.min(...later) : undefined;
  }

  purge(): void {
    this.#messages = [];
  }

  count(): { visible: number; hidden: number; delayed: number } {
    this.#expire();
    const now = this.settings.clock.now();
    const later = this.#messages.filter((message) => message.visibleAt > now);
    const delayed = later.filter((message) => message.receiveCount === 0).length;
    return { visible: this.#messages.length - later.length, hidden: later.length - delayed, delayed };
  }

  #visible(): QueueMessage[] {
    const now = this.settings.clock.now();
    return this.#messages.filter((message) => message.visibleAt <= now);
  }

  /** Removes messages beyond the retention period. For dead letters it starts when the original message was sent. */
  #expire(): void {
    const oldest = this.settings.clock.now() - this.settings.retentionSeconds * 1000;
    this.#messages = this.#messages.filter(({ sentAt }) => sentAt > oldest);
  }

  #moveTo(deadLetters: Queue, message: QueueMessage): void {
    this.#messages = this.#messages.filter((one) => one !== message);
    const { receiptHandle: _old, ...moved } = message;
    deadLetters.#add({ ...moved, visibleAt: this.settings.clock.now(), deadLetterOf: this.arn });
  }

  #add(message: QueueMessage): QueueMessage {
    this.#messages.push(message);
    for (const listener of this.#listeners) listener();
    return message;
  }
}

export function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
