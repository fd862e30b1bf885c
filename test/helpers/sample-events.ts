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

export interface State {
  Parameters?: { FunctionName?: string; Payload?: Record<string, unknown> };
  ItemProcessor?: { States: Record<string, State> };
}

/** Checks that a function's sample has the members that each state sends which invokes it. */
export function expectSentMembers(states: readonly State[], name: string, sample: object): void {
  const id = `\${${name.replace(/(^|-)([a-z])/g, (_match, _dash, letter: string) => letter.toUpperCase())}Arn}`;
  const payloads = states.flatMap(({ Parameters }) =>
    Parameters?.FunctionName === id ? [Parameters.Payload ?? {}] : [],
  );
  expect(payloads.length).toBeGreaterThan(0);
  for (const payload of payloads) {
    const members = Object.keys(payload).map((member) => member.replace(/\.\$$/, ''));
    expect(Object.keys(sample).sort()).toEqual(members.sort());
  }
}
