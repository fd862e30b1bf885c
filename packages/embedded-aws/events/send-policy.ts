import { namesService, strings } from '../iam/policy.ts';
import { isJsonObject, type Json, type JsonObject, objectOf } from '../protocol/operation.ts';

/** Whether a service may send to a queue or a topic on behalf of the resource with this ARN. */
export type MaySend = (service: string, sourceArn: string) => boolean;

type Refuse = (problem: string) => Error;

/** `sqs:SendMessage` for a queue, `sns:Publish` for a topic. */
type SendAction = 'sqs:SendMessage' | 'sns:Publish';

/**
 * Compiles the statements of a queue's or topic's policy that allow services to send. The only supported `Deny` is for requests without TLS,
 * which services never make, so it is ignored. Throws the error of `refuse` for an unsupported statement.
 */
export function compileSendPolicy(send: SendAction, { Statement: statements }: JsonObject, refuse: Refuse): MaySend {
  const allowed = [statements]
    .flat()
    .filter(isJsonObject)
    .flatMap((statement) => compileStatement(send, statement, refuse) ?? []);
  return (service, sourceArn) => allowed.some((allows) => allows(service, sourceArn));
}

function compileStatement(send: SendAction, statement: JsonObject, refuse: Refuse): MaySend | undefined {
  const { Effect: effect, Condition: condition } = statement;
  if (effect === 'Deny') {
    if (isAboutPlainHttp(condition)) return undefined;
    throw refuse('has a policy with a denial that is not about TLS, which is not supported.');
  }
  if (send === 'sns:Publish') {
    // Only EventBridge sends to topics here: alarms are not supported.
    if (!namesService(statement, 'events.amazonaws.com', send)) return undefined;
    // "You can't use of Condition blocks in Amazon SNS topic policies for EventBridge" (EventBridge, "Using resource-based policies").
    if (condition !== undefined) return undefined;
  }
  const sources = sourcesOf(condition, refuse);
  return (service, sourceArn) =>
    namesService(statement, service, send) && (sources === undefined || sources.includes(sourceArn));
}

function isAboutPlainHttp(condition: Json | undefined): boolean {
  return String(objectOf(objectOf(condition).Bool)['aws:SecureTransport']) === 'false';
}

/** The values of `ArnEquals` for `aws:SourceArn`, or undefined if there is no condition. */
function sourcesOf(condition: Json | undefined, refuse: Refuse): string[] | undefined {
  if (condition === undefined) return undefined;
  const { ArnEquals, ...others } = objectOf(condition);
  if (isJsonObject(ArnEquals) && Object.keys(others).length === 0 && Object.keys(ArnEquals).join() === 'aws:SourceArn')
    return strings(ArnEquals['aws:SourceArn']) ?? [];
  throw refuse(
    `has a policy with the condition ${JSON.stringify(condition)}; only ArnEquals on aws:SourceArn is supported.`,
  );
}
