import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';

/** The variables of functions that a test runs without a stack. */
const FUNCTION_ENVIRONMENT = {
  AWS_REGION: 'eu-central-1',
  INTAKE_BUCKET: 'intake',
  STAGING_BUCKET: 'staging',
  ORDER_TABLE: 'orders',
  ORDER_STATE_MACHINE: 'machine',
  OFFERS_CHOOSE: 'manual',
  SIGNING_MODE: 'external',
  SIGNING_HAS_KEY: 'false',
  SIGNATURE_GATE: 'check',
  SIGNATURES_UNCHECKED: 'refuse',
  ALLOWED_SIGNERS: '[]',
  LARGEST_SIGNATURE_BYTES: '100000',
  OUTAGE_PATIENCE_HOURS: '72',
  LIMIT_DOCUMENT_BYTES: '100000',
};

type EventHandler = (input: unknown, context: Context) => Promise<SQSBatchResponse | undefined>;

type EventFunction = 'check-package' | 'receive-upload';

export const context = { awsRequestId: 'r', getRemainingTimeInMillis: () => 150_000 } as unknown as Context;

export const batchOf = (bodies: readonly string[]): SQSEvent =>
  ({ Records: bodies.map((body, position) => ({ messageId: `m-${position}`, body })) }) as unknown as SQSEvent;

/** The functions that events invoke, in this process, for all tests of a file. They read the stage's settings once. */
export function eventFunctions() {
  const handlers = {} as Record<EventFunction, EventHandler>;
  beforeAll(async () => {
    for (const [name, value] of Object.entries(FUNCTION_ENVIRONMENT)) vi.stubEnv(name, value);
    vi.resetModules();
    const [checkPackage, receiveUpload] = await Promise.all([
      import('../../../functions/check-package/handler.ts'),
      import('../../../functions/receive-upload/handler.ts'),
    ]);
    const loaded = { 'check-package': checkPackage, 'receive-upload': receiveUpload };
    for (const [name, { handler }] of Object.entries(loaded))
      handlers[name as EventFunction] = handler as unknown as EventHandler;
  });
  afterEach(() => void vi.restoreAllMocks());
  afterAll(() => void vi.unstubAllEnvs());
  return handlers;
}
