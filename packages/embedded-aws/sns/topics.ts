import type { Changes } from '../changes.ts';
import type { MaySend } from '../events/send-policy.ts';
import { AwsError } from '../protocol/errors.ts';

/**
 * Topics with their policies and subscriptions. Nothing leaves the machine: listeners in this process see each message and its recipients.
 */
export class Topics {
  readonly #changes: Changes;
  readonly #policies = new Map<string, MaySend>();
  readonly #subscribers = new Map<string, string[]>();

  constructor(changes: Changes) {
    this.#changes = changes;
  }

  setPolicy(topicArn: string, maySend: MaySend): void {
    this.#policies.set(topicArn, maySend);
  }

  /** @param subscriber `email:somebody@example.org` */
  subscribe(topicArn: string, subscriber: string): void {
    this.#subscribers.set(topicArn, [...(this.#subscribers.get(topicArn) ?? []), subscriber]);
  }

  /** A service publishes on behalf of a resource, such as a rule. Throws an AwsError if the topic's policy does not allow it. */
  publishFor(service: string, sourceArn: string, topicArn: string, text: string): void {
    if (!this.#policies.get(topicArn)?.(service, sourceArn))
      throw new AwsError('NO_PERMISSIONS', `The policy of ${topicArn} does not let ${sourceArn} publish to it.`);
    const subscribers = this.#subscribers.get(topicArn) ?? [];
    this.#changes.publish({ type: 'message', topic: topicArn, subscribers, text });
  }
}
