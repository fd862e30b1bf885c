import { statusChangeEvent } from '@business-loan-orders/embedded-aws';
import { expect } from 'vitest';

interface Failed {
  detail: Record<'executionArn' | 'name' | 'stateMachineArn' | 'input' | 'error' | 'cause', string> &
    Record<'startDate' | 'stopDate', number>;
}

/** Checks that a sample is an event that Step Functions sends of a failed execution. */
export function expectFailedExecution({ detail, ...envelope }: Failed): void {
  const sent = statusChangeEvent({
    arn: detail.executionArn,
    name: detail.name,
    stateMachine: { arn: detail.stateMachineArn },
    input: detail.input,
    status: 'FAILED',
    startDate: detail.startDate,
    stopDate: detail.stopDate,
    ending: { error: detail.error, cause: detail.cause },
  });
  expect(envelope).toMatchObject({
    source: sent.source,
    'detail-type': sent['detail-type'],
    resources: sent.resources,
  });
  expect(sent.detail).toMatchObject(detail);
}
