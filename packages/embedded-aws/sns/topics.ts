import type { Changes } from '../changes.ts';
import type { MaySend } from '../events/send-policy.ts';
import { AwsError } from '../protocol/operation.ts';

/**
 * Topics with their policies and subscriptions. Messages are not sent: listeners in this process get each message with its recipients.
 */
export function createTopics(changes: Changes) {
  const policies = new Map<string, MaySend>();
  const recipients = new Map<string, string[]>();
  return {
    setPolicy: (topicArn: string, maySend: MaySend) => void policies.set(topicArn, maySend),
    /** @param subscriber `email:somebody@example.org` */
    subscribe: (topicArn: string, subscriber: string) =>
      void recipients.set(topicArn, [...(recipients.get(topicArn) ?? []), subscriber]),
    /** Publishes as a service on behalf of a resource, such as a rule. Throws an AwsError if the topic's policy does not allow it. */
    publishFor: (service: string, sourceArn: string, topicArn: string, text: string) => {
      if (!policies.get(topicArn)?.(service, sourceArn))
        throw new AwsError('NO_PERMISSIONS', `The policy of ${topicArn} does not let ${sourceArn} publish to it.`);
      changes.publish({ type: 'message', topic: topicArn, subscribers: recipients.get(topicArn) ?? [], text });
    },
  };
}
